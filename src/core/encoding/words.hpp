// The words of a text.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace warmcb {

// The number of bytes of white space or punctuation at the beginning of a text; 0 if it begins with a word. Fixed
// ranges are used instead of Unicode's tables, which change over the years: ASCII without letters and digits, and the
// blocks U+0080 to U+00BF, U+2000 to U+206F and U+3000 to U+303F.
inline std::size_t gap_at(std::string_view text) {
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
    const unsigned first = byte(0), second = byte(1), third = byte(2);
    if (first < 0x80) return !((first >= '0' && first <= '9') || (first >= 'a' && first <= 'z'));
    if (first == 0xC2) return 2;
    if (first == 0xE2 && (second == 0x80 || (second == 0x81 && third < 0xB0))) return 3;
    if (first == 0xE3 && second == 0x80) return 3;
    return 0;
}

inline void split_words(std::string_view text, std::vector<std::string_view>& words) {
    words.clear();
    for (std::size_t at = 0, begin = 0; at <= text.size();) {
        const std::size_t gap = at == text.size() ? 1 : gap_at(text.substr(at));
        if (gap == 0) {
            ++at;
            continue;
        }
        if (at > begin) words.push_back(text.substr(begin, at - begin));
        begin = at += gap;
    }
}

}  // namespace warmcb
