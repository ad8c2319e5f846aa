// Registers move between the warpgroups of a block (setmaxnreg).
#pragma once

namespace bsblas::cuda {

// Gives registers of this warp back to its block, or takes what others gave: together they must not have more than the
// launch gave them, or all wait for ever.
template <int Registers>
__device__ __forceinline__ void give_registers() {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Registers));
}
template <int Registers>
__device__ __forceinline__ void take_registers() {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Registers));
}

}  // namespace bsblas::cuda
