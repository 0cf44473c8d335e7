// A linear model: a weight for each input, action and lane.
#pragma once

#include "contracts.hpp"
#include "data/zeroed.hpp"

namespace warmcb {

// The feature is the outermost index, then the action, then the lane: the weights of a feature are contiguous.
inline void predict_linear(const Kernels& kernels, Row row, const Zeroed<float>& weights, std::size_t columns,
                           float* scores) {
    kernels.predict(row, weights.data(), columns, weights.bytes() > cached_bytes, scores);
}

// The contributions in the order of the row; the last one is the intercept.
inline std::vector<Contribution> explain_linear(const Predictor& of, Row row, const Zeroed<float>& weights,
                                                std::size_t action, std::size_t lane) {
    std::vector<Contribution> contributions;
    for (std::size_t k = 0; k < row.size; ++k) {
        const double weight = weights.data()[(row.index[k] * of.actions + action) * of.lanes + lane];
        contributions.push_back({{}, weight * static_cast<double>(row.value[k])});
        if (row.index[k] + 1 < of.inputs) contributions.back().sources.push_back(row.index[k]);
    }
    return contributions;
}

// The table with one more action; an action has `width` numbers.
template <class T>
Zeroed<T> with_one_action_more(const Zeroed<T>& table, std::size_t inputs, std::size_t actions, std::size_t width) {
    Zeroed<T> grown(inputs * (actions + 1) * width);
    for (std::size_t j = 0; j < inputs; ++j)
        std::copy_n(table.data() + j * actions * width, actions * width, grown.data() + j * (actions + 1) * width);
    return grown;
}

// The table with other lanes, the innermost index. Zeros are not written, so most memory of a wide model is untouched.
template <class T> Zeroed<T> with_lanes(const Zeroed<T>& table, std::size_t rows, std::size_t lanes,
                                        const std::vector<std::size_t>& origins) {
    Zeroed<T> changed(rows * origins.size());
    for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t lane = 0; lane < origins.size(); ++lane) {
            const T value = origins[lane] == from_nothing ? T(0) : table.data()[row * lanes + origins[lane]];
            if (value != T(0)) changed.data()[row * origins.size() + lane] = value;
        }
    return changed;
}

// A linear model that does not learn.
class LinearModel : public Predictor {
public:
    LinearModel(std::size_t features, std::size_t actions, std::size_t lanes, const Kernels& kernels)
        : Predictor(features, actions, lanes, kernels), weights(inputs * actions * lanes) {}
    LinearModel(std::size_t features, std::size_t actions, std::size_t lanes, const float* values,
                const Kernels& kernels)
        : LinearModel(features, actions, lanes, kernels) {
        std::copy_n(values, inputs * actions * lanes, weights.data());
    }

    Zeroed<float> weights;

    void predict(Row row, float* scores) const override {
        predict_linear(kernels, row, weights, actions * lanes, scores);
    }
    std::vector<Contribution> explain(Row row, std::size_t action, std::size_t lane) const override {
        return explain_linear(*this, row, weights, action, lane);
    }
};

}  // namespace warmcb
