#pragma once

namespace bsblas::cuda {

int load_sddmm_reference();

}  // namespace bsblas::cuda
