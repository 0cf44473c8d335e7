// The learner of the paper: a linear regressor of the cost for each action and each lane (λ), which learns online.
#pragma once

#include "learners/linear_model.hpp"

namespace warmcb {

class OnlineLinear : public WarmLearner {
public:
    OnlineLinear(std::size_t features, std::size_t actions, std::size_t lanes, double learning_rate,
                 const Kernels& kernels)
        : WarmLearner(features, actions, lanes, kernels), weights(inputs * actions * lanes),
          scales(inputs * actions * lanes * 2), totals(2 * lanes), scores_(actions * lanes),
          learning_rate_(static_cast<float>(learning_rate)), scratch_(inputs * lanes) {}

    Zeroed<float> weights, scales;
    Zeroed<double> totals;

    bool weighs_by_propensity() const override { return true; }

    void predict(Row row, float* scores) const override {
        predict_linear(kernels, row, weights, actions * lanes, scores);
    }
    std::vector<Contribution> explain(Row row, std::size_t action, std::size_t lane) const override {
        return explain_linear(*this, row, weights, action, lane);
    }

    void update(Row row, const Outcome& outcome, const float* importance) override {
        learn(row, outcome.action, outcome.cost, importance, outcome.scores);
    }

    void teach(Row row, const double* costs, const float* importance) override {
        predict(row, scores_.data());
        for (std::size_t a = 0; a < actions; ++a)
            if (!std::isnan(costs[a])) learn(row, a, costs[a], importance, scores_.data());
    }

    void add_action() override {
        weights = with_one_action_more(weights, inputs, actions, lanes);
        scales = with_one_action_more(scales, inputs, actions, 2 * lanes);
        ++actions;
        scores_.resize(actions * lanes);
    }

    std::unique_ptr<WarmLearner> with_lanes(const std::vector<std::size_t>& origins) const override {
        auto changed = std::make_unique<OnlineLinear>(inputs - 1, actions, origins.size(), learning_rate_, kernels);
        changed->weights = warmcb::with_lanes(weights, inputs * actions, lanes, origins);
        changed->scales = warmcb::with_lanes(scales, inputs * actions * 2, lanes, origins);
        changed->totals = warmcb::with_lanes(totals, 2, lanes, origins);
        return changed;
    }

    void rescale(double a, double b) override {
        for (std::size_t i = 0; i < inputs * actions * lanes; ++i) {
            float &weight = weights.data()[i], &squares = scales.data()[i / lanes * 2 * lanes + i % lanes];
            // in a wide model these are most features: their memory stays untouched
            if (weight == 0 && squares == 0) continue;
            weight *= static_cast<float>(a);
            squares *= static_cast<float>(a * a);
        }
        for (std::size_t i = 0; i < actions * lanes; ++i)
            weights.data()[(inputs - 1) * actions * lanes + i] += static_cast<float>(b);
    }

    std::unique_ptr<Predictor> snapshot() const override {
        return std::make_unique<LinearModel>(inputs - 1, actions, lanes, weights.data(), kernels);
    }

private:
    // scores: the present predictions for this row.
    void learn(Row row, std::size_t action, double cost, const float* importance, const float* scores) {
        kernels.update({row, weights.data() + action * lanes, scales.data() + action * lanes * 2, actions * lanes,
                        actions * lanes * 2, lanes, weights.bytes() > cached_bytes, totals.data(),
                        totals.data() + lanes, scores + action * lanes, importance, static_cast<float>(cost),
                        learning_rate_, scratch_.data()});
    }

    std::vector<float> scores_;
    float learning_rate_;
    Zeroed<float> scratch_;
};

}  // namespace warmcb
