// Least squares for every action and lane, from accumulated normal equations (Algorithm 2 of the paper).
#pragma once

#include "kernels.hpp"
#include "zeroed.hpp"

namespace warmcb {

// An example adds to the normal equations and leaves the weights alone: they change when somebody solves the equations.
class LeastSquares {
public:
    static constexpr bool weighs_by_propensity = true;

    LeastSquares(std::size_t features, std::size_t actions, std::size_t lanes, const Kernels& kernels)
        : inputs(features + 1), actions(actions), lanes(lanes), weights(inputs * actions * lanes),
          gram(actions * inputs * inputs), moment(actions * inputs), kernels_(kernels) {}

    const std::size_t inputs, actions, lanes;
    Zeroed<float> weights;        // inputs × actions × lanes, as the online learner's
    Zeroed<double> gram, moment;  // per action: Σ h·x·xᵀ and Σ h·cost·x

    std::size_t terms() const { return inputs; }

    void predict(Row row, float* scores) const {
        kernels_.predict(row, weights.data(), actions * lanes, weights.bytes() > cached_bytes, scores);
    }

    void add(Row row, std::size_t action, double cost, float weight) {
        for (std::size_t i = 0; i < row.size; ++i) {
            const double weighed = static_cast<double>(weight) * row.value[i];
            double* gram_row = gram.data() + (action * inputs + row.index[i]) * inputs;
            for (std::size_t j = 0; j < row.size; ++j) gram_row[row.index[j]] += weighed * row.value[j];
            moment.data()[action * inputs + row.index[i]] += weighed * cost;
        }
    }

    // The equations serve all lanes alike, so that an update has one weight.
    void update(Row row, std::size_t action, double cost, const float* importance, const float*) {
        add(row, action, cost, importance[0]);
    }

    void greedy(const float* scores, int32_t* best) const { kernels_.greedy(scores, actions, lanes, best); }

private:
    const Kernels& kernels_;
};

}  // namespace warmcb
