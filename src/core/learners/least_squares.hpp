// Least squares for every action and lane, from accumulated normal equations (Algorithm 2 of the paper).
#pragma once

#include "learners/linear_model.hpp"

namespace warmcb {

// An example is added to the normal equations. The weights change only when the equations are solved.
class LeastSquares : public Learner {
public:
    LeastSquares(std::size_t features, std::size_t actions, std::size_t lanes, const Kernels& kernels)
        : Learner(features, actions, lanes, kernels), weights(inputs * actions * lanes),
          gram(actions * inputs * inputs), moment(actions * inputs) {}

    Zeroed<float> weights;        // inputs × actions × lanes, as in the online learner
    Zeroed<double> gram, moment;  // per action: Σ h·x·xᵀ and Σ h·cost·x

    bool weighs_by_propensity() const override { return true; }

    void predict(Row row, float* scores) const override {
        predict_linear(kernels, row, weights, actions * lanes, scores);
    }
    std::vector<Contribution> explain(Row row, std::size_t action, std::size_t lane) const override {
        return explain_linear(*this, row, weights, action, lane);
    }

    // All lanes share the equations, so an update has one weight.
    void update(Row row, const Outcome& outcome, const float* importance) override {
        add(row, outcome.action, outcome.cost, importance[0]);
    }

    void add(Row row, std::size_t action, double cost, float weight) {
        for (std::size_t i = 0; i < row.size; ++i) {
            const double weighed = static_cast<double>(weight) * row.value[i];
            double* gram_row = gram.data() + (action * inputs + row.index[i]) * inputs;
            for (std::size_t j = 0; j < row.size; ++j) gram_row[row.index[j]] += weighed * row.value[j];
            moment.data()[action * inputs + row.index[i]] += weighed * cost;
        }
    }

    std::unique_ptr<Predictor> snapshot() const override {
        return std::make_unique<LinearModel>(inputs - 1, actions, lanes, weights.data(), kernels);
    }
};

}  // namespace warmcb
