// The states of terms and of the effects of identities: saved and restored.
#pragma once

#include <map>
#include <string>

#include "least_squares/identities.hpp"
#include "least_squares/terms.hpp"
#include "states/arrays_by_name.hpp"

namespace warmcb {

constexpr uint64_t most_bends = 1 << 12;

inline std::vector<uint64_t> shape_of(const Terms& terms) {
    return {terms.features, terms.whole, terms.translations, terms.products,
            terms.bends.size(), terms.contexts, terms.crosses};
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

// Restores terms with the same features.
inline void get_terms(const State& state, std::size_t actions, Terms& terms) {
    std::vector<uint64_t> shape(7);
    copy_from(state, "shape", shape);
    require(shape[0] == terms.features && shape[1] == terms.whole && shape[5] <= terms.features && shape[6] <= 1 &&
                shape[2] <= actions && shape[4] <= most_bends && shape[3] <= shape[2] * terms.features &&
                (shape[4] == 0 || (terms.features > 0 && terms.whole)),
            "terms of another shape");
    require(array_from<double>(state, "largest") == std::vector<double>{terms.units.options.largest},
            "features that are clipped elsewhere");
    terms.translations = shape[2];
    terms.products = shape[3];
    terms.contexts = shape[5];
    terms.crosses = shape[6] != 0;
    require(shape[4] == 0 || terms.contexts < terms.features, "bends without features");
    terms.bends = draw_bends(shape[4], terms.features, terms.contexts);
    copy_from(state, "centre", terms.units.centre);
    copy_from(state, "inverse", terms.units.inverse);
    copy_from(state, "knots", terms.units.knots);
    for (std::size_t i = 1; i < terms.units.knots.size(); ++i)
        require(i % FeatureUnits::knots_of_each == 0 || terms.units.knots[i - 1] <= terms.units.knots[i],
                "knots out of order");
    terms.squared = array_from<uint32_t>(state, "squared");
    require(terms.squared.size() <= terms.features, "more squares than features");
    for (const uint32_t feature : terms.squared) require(feature < terms.features, "the square of an unknown feature");
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
        require(names[k] != 0, "an effect without an identity");
        identities.known[names[k]] = {{effects.begin() + k * width, effects.begin() + (k + 1) * width},
                                      {variances.begin() + k * lanes, variances.begin() + (k + 1) * lanes}, last[k]};
    }
}

}  // namespace warmcb
