// The states of models that do not learn: saved and restored.
#pragma once

#include "learners/linear_model.hpp"
#include "least_squares/mixed_model.hpp"
#include "states/linear.hpp"
#include "states/terms.hpp"

namespace warmcb {

constexpr uint64_t most_inputs = uint64_t(1) << 31, most_weights = uint64_t(1) << 38;

inline State state_of(const MixedModel& model) {
    State state;
    state["weights"] = copy_of(model.weights.values);
    state["shape_of_weights"] = copy_of(std::vector<uint64_t>{model.actions, model.weights.lanes});
    state["mixture"] = copy_of(model.mixture);
    state["memories"] = copy_of(model.memories);
    put_terms(state, model.terms);
    put_identities(state, "model", model.identities);
    state["frozen"] = copy_of(std::vector<uint8_t>{1});
    return state;
}

inline std::unique_ptr<Predictor> thaw_linear(const State& state, const Kernels& kernels) {
    std::vector<uint64_t> shape(3);  // inputs, actions, lanes
    copy_from(state, "shape_of_weights", shape);
    require(shape[0] > 0, "weights without an intercept");
    require(std::all_of(shape.begin(), shape.end(), [](uint64_t size) { return size < most_inputs; }) &&
                shape[0] * shape[1] < most_weights && shape[0] * shape[1] * shape[2] < most_weights,
            "too many weights");
    const std::size_t width = shape[1] * shape[2];
    const auto weighed = nb::cast<Array<const int64_t>>(state["weighed"]);
    std::vector<float> weights(weighed.size() * width);
    copy_from(state, "weights", weights);
    const nb::gil_scoped_release release;  // filling a wide model takes a while; other threads can decide meanwhile
    auto model = std::make_unique<LinearModel>(shape[0] - 1, shape[1], shape[2], kernels);
    for (std::size_t k = 0; k < weighed.size(); ++k) {
        require(0 <= weighed(k) && static_cast<uint64_t>(weighed(k)) < shape[0], "an unknown feature");
        std::copy_n(weights.data() + k * width, width,
                    model->weights.data() + static_cast<std::size_t>(weighed(k)) * width);
    }
    return model;
}

// Makes a model that does not learn from its state.
inline std::unique_ptr<Predictor> thaw(const State& state) {
    const Kernels& kernels = *available_kernels()[0];
    if (!state.contains("centre")) return thaw_linear(state, kernels);
    std::vector<double> largest(1);
    copy_from(state, "largest", largest);
    require(largest[0] > 0, "features are clipped to nothing");
    const std::size_t features = nb::cast<Array<const double>>(state["centre"]).size();
    const auto shape = array_from<uint64_t>(state, "shape");
    const bool whole = shape.size() > 1 && shape[1] != 0;
    std::vector<uint64_t> counts(2);  // actions, lanes
    copy_from(state, "shape_of_weights", counts);
    Terms terms{features, 0, false, whole, FeatureUnits(features, whole, {largest[0], 0}), {}, 0, 0, {}, {}};
    get_terms(state, counts[0], terms);
    const auto values = array_from<float>(state, "weights");
    const auto mixture = array_from<double>(state, "mixture"), memories = array_from<double>(state, "memories");
    require(counts[0] > 0 && counts[0] <= values.size() && counts[1] >= memories.size() && counts[1] <= values.size() &&
                !memories.empty(),
            "weights without actions or lanes");
    require(all_finite(values.data(), values.size()), "a weight is not finite");
    NestedWeights weights({}, counts[0], counts[1], whole);
    weights.sizes = terms.sizes();
    require(values.size() == weights.begin(weights.models()), "one weight for each term");
    weights.values = values;
    require(mixture.size() == memories.size() * (weights.models() + counts[1] - memories.size()),
            "a mixture of another size");
    require(none_negative(memories) && none_negative(mixture), "a negative memory");
    Identities identities(weights.models(), weights.lanes, {1, std::numeric_limits<std::size_t>::max()});
    get_identities(state, "model", identities);
    require(identities.known.empty() || counts[0] == 1, "identities of numbered actions");
    return std::make_unique<MixedModel>(std::move(terms), std::move(weights), std::move(identities), mixture, memories,
                                        kernels);
}

}  // namespace warmcb
