// The paper's learner: for every action and every lane (λ) a linear regressor of the cost, taught one example at a time.
#pragma once

#include "kernels.hpp"
#include "zeroed.hpp"

namespace warmcb {

// Feature outermost, then action, then lane: one feature meets all actions and all lanes in one run of memory.
class OnlineLinear {
public:
    static constexpr bool weighs_by_propensity = true;

    OnlineLinear(std::size_t features, std::size_t actions, std::size_t lanes, double learning_rate, const Kernels& kernels)
        : inputs(features + 1), actions(actions), lanes(lanes), weights(inputs * actions * lanes),
          scales(inputs * actions * lanes * 2), totals(2 * lanes), kernels_(kernels), scores_(actions * lanes),
          learning_rate_(static_cast<float>(learning_rate)), scratch_(inputs * lanes) {}

    const std::size_t inputs, actions, lanes;  // inputs: the features and the intercept
    Zeroed<float> weights, scales;
    Zeroed<double> totals;

    std::size_t terms() const { return inputs; }

    // scores: actions × lanes
    void predict(Row row, float* scores) const {
        kernels_.predict(row, weights.data(), actions * lanes, far_, scores);
    }

    // importance: a weight for each lane; scores: what predict says of this row now.
    void update(Row row, std::size_t action, double cost, const float* importance, const float* scores) {
        kernels_.update({row, weights.data() + action * lanes, scales.data() + action * lanes * 2, actions * lanes,
                         actions * lanes * 2, lanes, far_, totals.data(), totals.data() + lanes, scores + action * lanes, importance,
                         static_cast<float>(cost), learning_rate_, scratch_.data()});
    }

    // What every action cost.
    template <class CostOf> void teach(Row row, CostOf&& cost_of, const float* importance) {
        predict(row, scores_.data());
        for (std::size_t a = 0; a < actions; ++a) update(row, a, cost_of(a), importance, scores_.data());
    }

    void greedy(const float* scores, int32_t* best) const { kernels_.greedy(scores, actions, lanes, best); }

private:
    const Kernels& kernels_;
    Zeroed<float> scores_;
    float learning_rate_;
    bool far_ = weights.bytes() > cached_bytes;
    Zeroed<float> scratch_;
};

}  // namespace warmcb
