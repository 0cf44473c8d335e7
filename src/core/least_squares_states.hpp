// What recursive least squares know, as dictionaries of arrays: for saving, and back.
#pragma once

#include <map>

#include "recursive_least_squares.hpp"
#include "states.hpp"

namespace warmcb {

template <class T> std::vector<T> array_from(const State& state, const char* name) {
    std::vector<T> values(nb::cast<Array<const T>>(state[name], false).size());
    copy_from(state, name, values);
    return values;
}

template <class T> bool none_negative(const std::vector<T>& values) {
    return std::all_of(values.begin(), values.end(), [](T x) { return x >= 0; });
}

constexpr uint64_t most_bends = 1 << 12;
constexpr uint64_t most_inputs = uint64_t(1) << 31, most_weights = uint64_t(1) << 38;

inline std::vector<uint64_t> shape_of(const Terms& terms) {
    return {terms.features, terms.whole, terms.translations, terms.products, terms.bends.size(), terms.contexts, terms.crosses};
}

inline void put_terms(State& state, const Terms& terms) {
    state["shape"] = copy_of(shape_of(terms));
    state["centre"] = copy_of(terms.units.centre);
    state["inverse"] = copy_of(terms.units.inverse);
    state["knots"] = copy_of(terms.units.knots);
    state["largest"] = copy_of(std::vector<double>{terms.units.options.largest});
    state["squared"] = copy_of(terms.squared);
    state["translator"] = copy_of(terms.translator.weights);
    state["translator_inverse"] = copy_of(terms.translator.inverse);
}

// Into terms of the same features.
inline void get_terms(const State& state, std::size_t actions, Terms& terms) {
    std::vector<uint64_t> shape(7);
    copy_from(state, "shape", shape);
    require(shape[0] == terms.features && shape[1] == terms.whole && shape[5] <= terms.features && shape[6] <= 1 && shape[2] <= actions && shape[4] <= most_bends &&
                shape[3] <= shape[2] * terms.features && (shape[4] == 0 || (terms.features > 0 && terms.whole)),
            "terms of another shape");
    require(array_from<double>(state, "largest") == std::vector<double>{terms.units.options.largest}, "features that are cut elsewhere");
    terms.translations = shape[2];
    terms.products = shape[3];
    terms.contexts = shape[5];
    terms.crosses = shape[6] != 0;
    require(shape[4] == 0 || terms.contexts < terms.features, "bends of no feature");
    terms.bends = draw_bends(shape[4], terms.features, terms.contexts);
    copy_from(state, "centre", terms.units.centre);
    copy_from(state, "inverse", terms.units.inverse);
    copy_from(state, "knots", terms.units.knots);
    for (std::size_t i = 1; i < terms.units.knots.size(); ++i)
        require(i % FeatureUnits::knots_of_each == 0 || terms.units.knots[i - 1] <= terms.units.knots[i], "knots out of order");
    terms.squared = array_from<uint32_t>(state, "squared");
    require(terms.squared.size() <= terms.features, "more squares than features");
    for (const uint32_t feature : terms.squared) require(feature < terms.features, "the square of a feature that there is not");
    terms.translator.weights = array_from<float>(state, "translator");
    terms.translator.inverse = array_from<float>(state, "translator_inverse");
    require(!terms.translator.speaks() || (terms.translator.weights.size() == terms.base() * terms.translations &&
                                           terms.translator.inverse.size() == terms.translations),
            "a translator of another size");
}

inline void put_identities(State& state, const std::string& name, const Identities& identities) {
    if (identities.known.empty()) return;
    const std::map<uint64_t, Identities::Identity> sorted(identities.known.begin(), identities.known.end());
    std::vector<uint64_t> names, last;
    std::vector<float> effects, variances;
    for (const auto& [identity, one] : sorted) {
        names.push_back(identity);
        last.push_back(one.last);
        effects.insert(effects.end(), one.effects.begin(), one.effects.end());
        variances.insert(variances.end(), one.variances.begin(), one.variances.end());
    }
    state[(name + "_identities").c_str()] = as_array(std::move(names));
    state[(name + "_identities_last").c_str()] = as_array(std::move(last));
    state[(name + "_effects").c_str()] = as_array(std::move(effects));
    state[(name + "_effect_variances").c_str()] = as_array(std::move(variances));
}

inline void get_identities(const State& state, const std::string& name, Identities& identities) {
    if (!state.contains((name + "_identities").c_str())) return;
    const auto names = array_from<uint64_t>(state, (name + "_identities").c_str());
    const std::size_t lanes = identities.lanes(), width = identities.models() * lanes;
    std::vector<uint64_t> last(names.size());
    std::vector<float> effects(names.size() * width), variances(names.size() * lanes);
    copy_from(state, (name + "_identities_last").c_str(), last);
    copy_from(state, (name + "_effects").c_str(), effects);
    copy_from(state, (name + "_effect_variances").c_str(), variances);
    require(none_negative(variances), "a negative variance");
    for (std::size_t k = 0; k < names.size(); ++k) {
        require(names[k] != 0, "the effect of nobody");
        identities.known[names[k]] = {{effects.begin() + k * width, effects.begin() + (k + 1) * width},
                                      {variances.begin() + k * lanes, variances.begin() + (k + 1) * lanes}, last[k]};
    }
}

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
    require(std::all_of(shape.begin(), shape.end(), [](uint64_t size) { return size < most_inputs; }) && shape[0] * shape[1] < most_weights &&
                shape[0] * shape[1] * shape[2] < most_weights,
            "too many weights");
    const std::size_t width = shape[1] * shape[2];
    const auto weighed = nb::cast<Array<const int64_t>>(state["weighed"]);
    std::vector<float> weights(weighed.size() * width);
    copy_from(state, "weights", weights);
    const nb::gil_scoped_release release;  // to fill a wide model takes a while, in which others can decide
    auto model = std::make_unique<LinearModel>(shape[0] - 1, shape[1], shape[2], kernels);
    for (std::size_t k = 0; k < weighed.size(); ++k) {
        require(0 <= weighed(k) && static_cast<uint64_t>(weighed(k)) < shape[0], "a feature that there is not");
        std::copy_n(weights.data() + k * width, width, model->weights.data() + static_cast<std::size_t>(weighed(k)) * width);
    }
    return model;
}

// A model that learns no more, from its state.
inline std::unique_ptr<Predictor> thaw(const State& state) {
    const Kernels& kernels = *available_kernels()[0];
    if (!state.contains("centre")) return thaw_linear(state, kernels);
    std::vector<double> largest(1);
    copy_from(state, "largest", largest);
    require(largest[0] > 0, "nothing is left of the features");
    const std::size_t features = nb::cast<Array<const double>>(state["centre"]).size();
    const auto shape = array_from<uint64_t>(state, "shape");
    const bool whole = shape.size() > 1 && shape[1] != 0;
    std::vector<uint64_t> counts(2);  // actions, lanes
    copy_from(state, "shape_of_weights", counts);
    Terms terms{features, 0, false, whole, FeatureUnits(features, whole, {largest[0], 0}), {}, 0, 0, {}, {}};
    get_terms(state, counts[0], terms);
    const auto values = array_from<float>(state, "weights");
    const auto mixture = array_from<double>(state, "mixture"), memories = array_from<double>(state, "memories");
    require(counts[0] > 0 && counts[0] <= values.size() && counts[1] >= memories.size() && counts[1] <= values.size() && !memories.empty(),
            "weights of no action or lane");
    require(all_finite(values.data(), values.size()), "a weight is not finite");
    NestedWeights weights({}, counts[0], counts[1], whole);
    weights.sizes = terms.sizes();
    require(values.size() == weights.begin(weights.models()), "one weight for each term");
    weights.values = values;
    require(mixture.size() == memories.size() * (weights.models() + counts[1] - memories.size()), "a mixture of another size");
    require(none_negative(memories) && none_negative(mixture), "a negative memory");
    Identities identities(weights.models(), weights.lanes, {1, std::numeric_limits<std::size_t>::max()});
    get_identities(state, "model", identities);
    require(identities.known.empty() || counts[0] == 1, "identities of actions that have numbers");
    return std::make_unique<MixedModel>(std::move(terms), std::move(weights), std::move(identities), mixture, memories, kernels);
}

// Models with their factors; those that share one share it again.
inline void put_models(State& state, const std::string& name, const LaneModels& models) {
    std::map<const Factor*, uint32_t> numbers{{models.fresh.get(), 0}};
    std::vector<uint32_t> whose;
    std::vector<float> variances, tiles;
    std::vector<uint64_t> walked;
    for (const auto& factor : models.factors) {
        const auto [found, is_new] = numbers.try_emplace(factor.get(), static_cast<uint32_t>(numbers.size()));
        whose.push_back(found->second);
        if (!is_new) continue;
        variances.insert(variances.end(), factor->variances.begin(), factor->variances.end());
        tiles.insert(tiles.end(), factor->tiles.begin(), factor->tiles.end());
        walked.push_back(factor->walked);
    }
    state[(name + "_weights").c_str()] = copy_of(models.weights.values);
    state[(name + "_whose").c_str()] = as_array(std::move(whose));
    state[(name + "_variances").c_str()] = as_array(std::move(variances));
    state[(name + "_tiles").c_str()] = as_array(std::move(tiles));
    state[(name + "_walked").c_str()] = as_array(std::move(walked));
    put_identities(state, name, models.identities);
}

inline void get_models(const State& state, const std::string& name, LaneModels& models) {
    const auto array_of = [&](const char* what) { return name + what; };
    copy_from(state, array_of("_weights").c_str(), models.weights.values);
    std::vector<uint32_t> whose(models.factors.size());
    copy_from(state, array_of("_whose").c_str(), whose);
    const auto walked = array_from<uint64_t>(state, array_of("_walked").c_str());
    const std::size_t n_variances = models.fresh->variances.size(), n_tiles = models.fresh->tiles.size();
    std::vector<float> variances(walked.size() * n_variances), tiles(walked.size() * n_tiles);
    copy_from(state, array_of("_variances").c_str(), variances);
    copy_from(state, array_of("_tiles").c_str(), tiles);
    require(none_negative(variances), "a negative variance");
    std::vector<std::shared_ptr<Factor>> factors{models.fresh};
    for (std::size_t k = 0; k < walked.size(); ++k) {
        factors.push_back(std::make_shared<Factor>(*models.fresh));
        std::copy_n(variances.begin() + k * n_variances, n_variances, factors.back()->variances.begin());
        std::copy_n(tiles.begin() + k * n_tiles, n_tiles, factors.back()->tiles.begin());
        factors.back()->walked = walked[k];
    }
    for (std::size_t i = 0; i < whose.size(); ++i) {
        require(whose[i] < factors.size(), "a factor that there is not");
        models.factors[i] = factors[whose[i]];
    }
    get_identities(state, name, models.identities);
}

// Labels and rounds that may have to be learned again, labels first. A cost that nobody knows is 0, and marked.
inline void put_examples(State& state, const RecursiveLeastSquares& learner) {
    std::vector<uint32_t> index;
    std::vector<float> value, importance;
    std::vector<uint64_t> ends, actions, identities;
    std::vector<double> costs;
    std::vector<uint8_t> known;
    for (const auto* examples : {&learner.labels_kept, &learner.rounds_kept, &learner.met})
        for (const auto& example : *examples) {
            index.insert(index.end(), example.index.begin(), example.index.end());
            value.insert(value.end(), example.value.begin(), example.value.end());
            importance.insert(importance.end(), example.importance.begin(), example.importance.end());
            ends.push_back(index.size());
            actions.push_back(example.action);
            identities.push_back(example.identity);
            for (const double cost : example.costs) {
                known.push_back(!std::isnan(cost));
                costs.push_back(std::isnan(cost) ? 0 : cost);
            }
        }
    state["kept_counts"] = copy_of(std::vector<uint64_t>{learner.labels_kept.size(), learner.rounds_kept.size(), learner.met.size()});
    state["kept_index"] = as_array(std::move(index));
    state["kept_value"] = as_array(std::move(value));
    state["kept_importance"] = as_array(std::move(importance));
    state["kept_ends"] = as_array(std::move(ends));
    state["kept_actions"] = as_array(std::move(actions));
    state["kept_identities"] = as_array(std::move(identities));
    state["kept_costs"] = as_array(std::move(costs));
    state["kept_known"] = as_array(std::move(known));
}

inline void get_examples(const State& state, RecursiveLeastSquares& learner) {
    std::vector<uint64_t> counts(3);
    copy_from(state, "kept_counts", counts);
    const auto index = array_from<uint32_t>(state, "kept_index");
    const auto value = array_from<float>(state, "kept_value"), importance = array_from<float>(state, "kept_importance");
    const auto ends = array_from<uint64_t>(state, "kept_ends"), actions = array_from<uint64_t>(state, "kept_actions");
    const auto costs = array_from<double>(state, "kept_costs");
    const auto known = array_from<uint8_t>(state, "kept_known");
    const std::size_t total = ends.size();
    std::vector<uint64_t> identities(total);
    copy_from(state, "kept_identities", identities);
    require(counts[0] <= total && counts[1] <= total - counts[0] && counts[2] == total - counts[0] - counts[1] && actions.size() == total,
            "another number of examples");
    require(importance.size() == (counts[0] + counts[1]) * learner.lanes && value.size() == index.size() && known.size() == costs.size() &&
                costs.size() == counts[0] * learner.actions + counts[1],
            "examples of another size");
    std::size_t begin = 0, cost = 0;
    for (std::size_t i = 0; i < total; ++i) {
        const bool is_label = i < counts[0], is_met = i >= counts[0] + counts[1];
        require(begin < ends[i] && ends[i] <= index.size() && actions[i] < learner.actions, "an example out of range");
        RecursiveLeastSquares::Example example;
        example.index.assign(index.begin() + begin, index.begin() + ends[i]);
        example.value.assign(value.begin() + begin, value.begin() + ends[i]);
        require(std::all_of(example.index.begin(), example.index.end() - 1, [&](uint32_t j) { return j < learner.features(); }) &&
                    example.index.back() == learner.features(),
                "a feature that there is not");
        if (!is_met) {
            example.importance.assign(importance.begin() + i * learner.lanes, importance.begin() + (i + 1) * learner.lanes);
            require(none_negative(example.importance), "an example of negative weight");
            for (std::size_t k = 0; k < (is_label ? learner.actions : 1); ++k, ++cost)
                example.costs.push_back(known[cost] ? costs[cost] : std::numeric_limits<double>::quiet_NaN());
        }
        example.action = actions[i];
        example.identity = identities[i];
        begin = ends[i];
        (is_met ? learner.met : is_label ? learner.labels_kept : learner.rounds_kept).push_back(std::move(example));
    }
}

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
    state["counts"] = copy_of(std::vector<uint64_t>{learner.seen, learner.fitted, learner.labels, learner.rounds, learner.terms.units.renewals,
                                                    memories.rounds, memories.last_alarm, memories.changes});
    return state;
}

// Into a learner that has seen nothing.
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
    require(places.size() == whose.size(), "places of no feature");
    units.places.resize(units.features());
    for (std::size_t i = 0; i < places.size(); ++i) {
        require(whose[i] < units.features() && units.places[whose[i]].size() < FeatureUnits::most_places * FeatureUnits::window,
                "a place of a feature that there is not");
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
        require(std::fabs(sum - 1) < 1e-6, "a mixture of more or less than everything");
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
    require(learner.rounds_kept.empty() || learner.taught, "rounds to be learned again, from nothing");
}

}  // namespace warmcb
