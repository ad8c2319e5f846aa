#pragma once

namespace bsblas::cuda {

int load_spmm_reference();

}  // namespace bsblas::cuda
