// The contributions to a score.
#pragma once

#include <cstdint>
#include <vector>

namespace warmcb {

// Sources of a term that are not features. Features have numbers from 0.
constexpr int64_t of_labels = -1, of_identity = -2;

// The contribution of a term to a score, and the term's sources. A constant has no sources.
struct Contribution {
    std::vector<int64_t> sources;
    double amount;
};

}  // namespace warmcb
