// The weights of nested models: each one uses the first terms of the next one.
#pragma once

#include <vector>

#include "kernels/kernels.hpp"

namespace warmcb {

struct NestedWeights {
    std::vector<std::size_t> sizes;  // the number of terms of each model, ascending; the last model uses all
    std::size_t actions, lanes;
    bool whole;                 // rows contain all terms, also zeros
    std::vector<float> values;  // for each model: terms × actions × lanes

    NestedWeights(std::vector<std::size_t> of_models, std::size_t actions, std::size_t lanes, bool whole)
        : sizes(std::move(of_models)), actions(actions), lanes(lanes), whole(whole), values(begin(sizes.size())) {}

    std::size_t models() const { return sizes.size(); }
    std::size_t stride() const { return actions * lanes; }  // from one term to the next
    std::size_t begin(std::size_t model) const {
        std::size_t terms = 0;
        for (std::size_t m = 0; m < model; ++m) terms += sizes[m];
        return terms * stride();
    }
    float* at(std::size_t model, std::size_t term, std::size_t action) {
        return values.data() + begin(model) + (term * actions + action) * lanes;
    }
    const float* at(std::size_t model, std::size_t term, std::size_t action) const {
        return const_cast<NestedWeights*>(this)->at(model, term, action);
    }

    // The terms of a row that a model uses.
    Row seen(Row phi, std::size_t model) const {
        const std::size_t count = whole || sizes[model] == 1 ? sizes[model] : phi.size;
        return {phi.index, phi.value, count};
    }

    // scores: models × actions × lanes
    void predict(const Kernels& kernels, Row phi, float* scores) const {
        const std::size_t columns = actions * lanes;
        for (std::size_t model = 0; model < models(); ++model) {
            const bool far = sizes[model] * columns * sizeof(float) > cached_bytes;
            kernels.predict(seen(phi, model), values.data() + begin(model), columns, far, scores + model * columns);
        }
    }
};

}  // namespace warmcb
