// Counter-based random numbers: Philox4x64-10 (Salmon et al., 2011), the generator that NumPy calls Philox.
//
// A random number is a function of (seed, stream, part, round), so there is no state to save or to share.
#pragma once

#include <cstdint>

namespace warmcb {

struct Stream {
    uint64_t seed, stream, part = 0;

    // Uniform on [0, 1), with 53 random bits.
    double uniform(uint64_t round) const {
        uint64_t counter[4] = {round, part, 0, 0};
        uint64_t key[2] = {seed, stream};
        for (int i = 0; i < 10; ++i) {
            const auto first = static_cast<unsigned __int128>(0xD2E7470EE14C6C93) * counter[0];
            const auto second = static_cast<unsigned __int128>(0xCA5A826395121157) * counter[2];
            const uint64_t high_first = static_cast<uint64_t>(first >> 64),
                           high_second = static_cast<uint64_t>(second >> 64);
            counter[0] = high_second ^ counter[1] ^ key[0];
            counter[1] = static_cast<uint64_t>(second);
            counter[2] = high_first ^ counter[3] ^ key[1];
            counter[3] = static_cast<uint64_t>(first);
            key[0] += 0x9E3779B97F4A7C15;
            key[1] += 0xBB67AE8584CAA73B;
        }
        return static_cast<double>(counter[0] >> 11) * 0x1.0p-53;
    }
};

}  // namespace warmcb
