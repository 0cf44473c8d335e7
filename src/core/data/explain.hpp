// What a score is made of.
#pragma once

#include <cstdint>
#include <vector>

namespace warmcb {

// What a term looks at besides features, which are numbered from 0.
constexpr int64_t of_labels = -1, of_identity = -2;

// What a term adds to a score, and what it looks at: nothing, if it is a constant.
struct Contribution {
    std::vector<int64_t> sources;
    double amount;
};

}  // namespace warmcb
