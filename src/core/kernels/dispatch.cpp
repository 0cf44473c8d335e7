// The choice of the instruction set, at run time.
#include "kernels/kernels.hpp"

namespace warmcb {

extern const Kernels baseline;  // available on every machine of this architecture: SSE2, NEON
#ifdef WARMCB_X86
extern const Kernels avx2, avx512;
#endif

const std::vector<const Kernels*>& available_kernels() {
    static const auto available = [] {
        std::vector<const Kernels*> found;
#ifdef WARMCB_X86
        __builtin_cpu_init();
        const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                                __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
        if (has_avx512) found.push_back(&avx512);
        if (__builtin_cpu_supports("avx2")) found.push_back(&avx2);
#endif
        found.push_back(&baseline);
        return found;
    }();
    return available;
}

}  // namespace warmcb
