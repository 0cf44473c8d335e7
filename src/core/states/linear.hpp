// The states of linear learners and models: saved and restored.
#pragma once

#include "learners/online_linear.hpp"
#include "states/arrays_by_name.hpp"

namespace warmcb {

// Only features that were seen are saved, so that the file of a sparse model stays small.
inline State state_of(const OnlineLinear& learner) {
    const std::size_t width = learner.actions * learner.lanes;
    std::vector<int64_t> seen;
    std::vector<float> weights, scales;
    for (std::size_t j = 0; j < learner.inputs; ++j) {
        const float* of_input = learner.scales.data() + j * 2 * width;
        if (std::all_of(of_input, of_input + 2 * width, [](float x) { return x == 0; })) continue;
        seen.push_back(static_cast<int64_t>(j));
        weights.insert(weights.end(), learner.weights.data() + j * width, learner.weights.data() + (j + 1) * width);
        scales.insert(scales.end(), of_input, of_input + 2 * width);
    }
    State state;
    state["seen"] = as_array(std::move(seen));
    state["weights"] = as_array(std::move(weights));
    state["scales"] = as_array(std::move(scales));
    state["totals"] = as_array(std::vector<double>(learner.totals.data(), learner.totals.data() + 2 * learner.lanes));
    return state;
}

// Restores a learner that has learned nothing.
inline void restore(OnlineLinear& learner, const State& state) {
    const std::size_t width = learner.actions * learner.lanes;
    const auto seen = nb::cast<Array<const int64_t>>(state["seen"]);
    std::vector<float> weights(seen.size() * width), scales(seen.size() * 2 * width);
    std::vector<double> totals(2 * learner.lanes);
    copy_from(state, "weights", weights);
    copy_from(state, "scales", scales);
    copy_from(state, "totals", totals);
    for (std::size_t k = 0; k < seen.size(); ++k) {
        require(0 <= seen(k) && static_cast<std::size_t>(seen(k)) < learner.inputs, "an unknown feature");
        const auto j = static_cast<std::size_t>(seen(k));
        std::copy_n(weights.data() + k * width, width, learner.weights.data() + j * width);
        std::copy_n(scales.data() + k * 2 * width, 2 * width, learner.scales.data() + j * 2 * width);
    }
    std::copy(totals.begin(), totals.end(), learner.totals.data());
}

// Only features with a weight are saved, for the same reason.
inline State state_of(const LinearModel& model) {
    const std::size_t width = model.actions * model.lanes;
    std::vector<int64_t> weighed;
    std::vector<float> weights;
    for (std::size_t j = 0; j < model.inputs; ++j) {
        const float* of_input = model.weights.data() + j * width;
        if (std::all_of(of_input, of_input + width, [](float x) { return x == 0; })) continue;
        weighed.push_back(static_cast<int64_t>(j));
        weights.insert(weights.end(), of_input, of_input + width);
    }
    State state;
    state["weighed"] = as_array(std::move(weighed));
    state["weights"] = as_array(std::move(weights));
    state["shape_of_weights"] = copy_of(std::vector<uint64_t>{model.inputs, model.actions, model.lanes});
    state["frozen"] = copy_of(std::vector<uint8_t>{1});
    return state;
}

}  // namespace warmcb
