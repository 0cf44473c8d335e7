// XXH64 with seed 0, from its published specification: the same bytes have the same hash on every machine.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace warmcb {

namespace xxh {

constexpr uint64_t prime1 = 0x9E3779B185EBCA87, prime2 = 0xC2B2AE3D27D4EB4F, prime3 = 0x165667B19E3779F9,
                   prime4 = 0x85EBCA77C2B2AE63, prime5 = 0x27D4EB2F165667C5;

// Little endian, on every machine.
template <int bytes> uint64_t read(const unsigned char* at) {
    uint64_t value = 0;
    for (int i = 0; i < bytes; ++i) value |= uint64_t{at[i]} << (8 * i);
    return value;
}

inline uint64_t round(uint64_t lane, uint64_t input) { return std::rotl(lane + input * prime2, 31) * prime1; }

inline uint64_t merge(uint64_t sum, uint64_t lane) { return (sum ^ round(0, lane)) * prime1 + prime4; }

}  // namespace xxh

inline uint64_t xxh64(std::string_view text) {
    using namespace xxh;
    const auto* at = reinterpret_cast<const unsigned char*>(text.data());
    const auto* end = at + text.size();
    uint64_t sum = prime5;
    if (text.size() >= 32) {
        uint64_t lanes[4] = {prime1 + prime2, prime2, 0, 0 - prime1};
        for (; end - at >= 32; at += 32)
            for (int k = 0; k < 4; ++k) lanes[k] = round(lanes[k], read<8>(at + 8 * k));
        sum = std::rotl(lanes[0], 1) + std::rotl(lanes[1], 7) + std::rotl(lanes[2], 12) + std::rotl(lanes[3], 18);
        for (const uint64_t lane : lanes) sum = merge(sum, lane);
    }
    sum += text.size();
    for (; end - at >= 8; at += 8) sum = std::rotl(sum ^ round(0, read<8>(at)), 27) * prime1 + prime4;
    if (end - at >= 4) {
        sum = std::rotl(sum ^ read<4>(at) * prime1, 23) * prime2 + prime3;
        at += 4;
    }
    for (; at < end; ++at) sum = std::rotl(sum ^ *at * prime5, 11) * prime1;
    sum = (sum ^ sum >> 33) * prime2;
    sum = (sum ^ sum >> 29) * prime3;
    return sum ^ sum >> 32;
}

}  // namespace warmcb
