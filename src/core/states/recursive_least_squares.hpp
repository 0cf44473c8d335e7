// The state of recursive least squares: saved and restored.
#pragma once

#include "least_squares/recursive_least_squares.hpp"
#include "states/examples.hpp"
#include "states/lane_models.hpp"

namespace warmcb {

inline State state_of(const RecursiveLeastSquares& learner) {
    State state;
    put_terms(state, learner.terms);
    state["varied"] = copy_of(learner.terms.units.varied);
    state["recent"] = copy_of(learner.terms.units.recent);
    state["beyond"] = copy_of(learner.terms.units.beyond);
    std::vector<uint32_t> whose;
    std::vector<float> places;
    for (std::size_t j = 0; j < learner.terms.units.places.size(); ++j) {
        whose.insert(whose.end(), learner.terms.units.places[j].size(), static_cast<uint32_t>(j));
        places.insert(places.end(), learner.terms.units.places[j].begin(), learner.terms.units.places[j].end());
    }
    state["places"] = as_array(std::move(places));
    state["places_of"] = as_array(std::move(whose));
    put_models(state, "models", learner.models);
    if (learner.taught) put_models(state, "taught", *learner.taught);
    put_examples(state, learner);
    const Memories& memories = learner.memories;
    state["mixture"] = copy_of(memories.mixture);
    state["better"] = copy_of(memories.better);
    state["ages"] = copy_of(memories.ages);
    state["errors"] = copy_of(std::vector<double>{memories.short_error, memories.long_error, memories.long_square});
    state["counts"] = copy_of(std::vector<uint64_t>{learner.seen, learner.fitted, learner.labels, learner.rounds,
                                                    learner.terms.units.renewals, memories.rounds, memories.last_alarm,
                                                    memories.changes});
    return state;
}

// Restores a learner that has learned nothing.
inline void restore(RecursiveLeastSquares& learner, const State& state) {
    require(array_from<uint64_t>(state, "shape") == shape_of(learner.terms), "terms of another shape");
    get_terms(state, learner.actions, learner.terms);
    FeatureUnits& units = learner.terms.units;
    copy_from(state, "varied", units.varied);
    units.recent = array_from<float>(state, "recent");
    units.beyond = array_from<uint16_t>(state, "beyond");
    require(units.recent.size() < std::max<std::size_t>(FeatureUnits::window * units.features(), 1) &&
                (units.features() == 0 || units.recent.size() % units.features() == 0) &&
                (units.beyond.empty() || units.beyond.size() == units.features()),
            "recent rows of another size");
    const auto places = array_from<float>(state, "places");
    const auto whose = array_from<uint32_t>(state, "places_of");
    require(places.size() == whose.size(), "places without features");
    units.places.resize(units.features());
    for (std::size_t i = 0; i < places.size(); ++i) {
        require(whose[i] < units.features() &&
                    units.places[whose[i]].size() < FeatureUnits::most_places * FeatureUnits::window,
                "a place of an unknown feature");
        units.places[whose[i]].push_back(places[i]);
    }
    learner.models = learner.fresh_models();
    learner.memories = learner.fresh_memories();
    get_models(state, "models", learner.models);
    if (state.contains("taught_weights")) {
        learner.taught = learner.fresh_models();
        get_models(state, "taught", *learner.taught);
    }
    get_examples(state, learner);
    Memories& memories = learner.memories;
    std::vector<double> errors(3);
    std::vector<uint64_t> counts(8);
    copy_from(state, "mixture", memories.mixture);
    copy_from(state, "better", memories.better);
    copy_from(state, "ages", memories.ages);
    copy_from(state, "errors", errors);
    for (std::size_t lane = 0; lane < learner.lanes; ++lane) {
        const double* weights = memories.weights(lane);
        const double sum = std::accumulate(weights, weights + memories.experts(), 0.0);
        require(std::fabs(sum - 1) < 1e-6, "weights of a mixture that do not sum to 1");
    }
    require(none_negative(memories.mixture) && none_negative(memories.better), "a negative weight");
    copy_from(state, "counts", counts);
    memories.short_error = errors[0];
    memories.long_error = errors[1];
    memories.long_square = errors[2];
    learner.seen = counts[0];
    learner.fitted = counts[1];
    learner.labels = counts[2];
    learner.rounds = counts[3];
    units.renewals = counts[4];
    memories.rounds = counts[5];
    memories.last_alarm = counts[6];
    memories.changes = counts[7];
    require(learner.rounds_kept.empty() || learner.taught, "kept rounds without the models before them");
}

}  // namespace warmcb
