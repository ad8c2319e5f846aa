#include "peers/peers.h"

#include <exception>

namespace bsblas::perf {

std::vector<std::unique_ptr<Contender>> make_peers(Machine& machine, std::vector<std::string>* missing) {
    struct Maker {
        const char* name;
        std::unique_ptr<Contender> (*make)(Machine&);
    };
    std::vector<Maker> makers;
    if (machine.backend() == BSBLAS_BACKEND_HOST) makers = {{"openblas", make_openblas}};
#ifdef BSBLAS_HAVE_CUDA
    if (machine.backend() == BSBLAS_BACKEND_CUDA)
        makers = {{"cublas", make_cublas},
                  {"cublaslt", make_cublaslt},
                  {"cusparse_bsr", make_cusparse_bsr},
                  {"cusparse_blocked_ell", make_cusparse_blocked_ell}};
#endif
    std::vector<std::unique_ptr<Contender>> peers;
    for (const Maker& maker : makers) {
        try {
            peers.push_back(maker.make(machine));
        } catch (const std::exception& error) {
            missing->push_back(std::string(maker.name) + ": " + error.what());
        }
    }
    return peers;
}

}  // namespace bsblas::perf
