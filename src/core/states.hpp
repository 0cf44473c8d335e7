// What the parts of a bandit know, as dictionaries of arrays: for saving, and back.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <type_traits>

#include "arrays.hpp"
#include "online_linear.hpp"
#include "recursive_least_squares.hpp"
#include "selectors.hpp"

namespace warmcb {

template <class T> Numpy<T> copy_of(const std::vector<T>& values) { return as_array(std::vector<T>(values)); }

template <class T> void copy_from(const nb::dict& state, const char* name, std::vector<T>& to) {
    const auto array = nb::cast<Array<const T>>(state[name], false);
    require(array.size() == to.size(), "an array of the state has another size");
    if constexpr (std::is_floating_point_v<T>)
        require(std::all_of(array.data(), array.data() + array.size(), [](T x) { return std::isfinite(x); }),
                "an array of the state is not finite");
    std::copy(array.data(), array.data() + array.size(), to.begin());
}

// Only the features that were ever seen: a sparse model of millions stays a small file.
inline nb::dict state_of(const OnlineLinear& learner) {
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
    nb::dict state;
    state["seen"] = as_array(std::move(seen));
    state["weights"] = as_array(std::move(weights));
    state["scales"] = as_array(std::move(scales));
    state["totals"] = as_array(std::vector<double>(learner.totals.data(), learner.totals.data() + 2 * learner.lanes));
    return state;
}

// Into a learner that has seen nothing.
inline void restore(OnlineLinear& learner, const nb::dict& state) {
    const std::size_t width = learner.actions * learner.lanes;
    const auto seen = nb::cast<Array<const int64_t>>(state["seen"]);
    std::vector<float> weights(seen.size() * width), scales(seen.size() * 2 * width);
    std::vector<double> totals(2 * learner.lanes);
    copy_from(state, "weights", weights);
    copy_from(state, "scales", scales);
    copy_from(state, "totals", totals);
    for (std::size_t k = 0; k < seen.size(); ++k) {
        require(0 <= seen(k) && static_cast<std::size_t>(seen(k)) < learner.inputs, "a feature that there is not");
        const auto j = static_cast<std::size_t>(seen(k));
        std::copy_n(weights.data() + k * width, width, learner.weights.data() + j * width);
        std::copy_n(scales.data() + k * 2 * width, 2 * width, learner.scales.data() + j * 2 * width);
    }
    std::copy(totals.begin(), totals.end(), learner.totals.data());
}

inline nb::dict state_of(const LinearModel& model) {
    nb::dict state;
    const auto weights = fresh_array<float>({model.inputs, model.actions, model.lanes});
    std::copy_n(model.weights.data(), model.inputs * model.actions * model.lanes, weights.data());
    state["weights"] = weights;
    state["frozen"] = copy_of(std::vector<uint8_t>{1});
    return state;
}

inline nb::dict state_of(const StandardisedModel& model) {
    nb::dict state;
    const auto weights = fresh_array<float>({model.map.size(), model.actions, model.lanes});
    std::copy_n(model.weights.data(), model.map.size() * model.actions * model.lanes, weights.data());
    state["weights"] = weights;
    state["squared"] = copy_of(model.map.squared);
    state["centre"] = copy_of(model.map.standardiser.centre);
    state["inverse"] = copy_of(model.map.standardiser.inverse);
    state["whole"] = copy_of(std::vector<uint8_t>{model.map.whole});
    state["largest"] = copy_of(std::vector<double>{model.map.standardiser.options.largest});
    state["frozen"] = copy_of(std::vector<uint8_t>{1});
    return state;
}

// A model that learns no more, from its state.
inline std::unique_ptr<Predictor> thaw(const nb::dict& state) {
    const auto weights = nb::cast<nb::ndarray<const float, nb::ndim<3>, nb::c_contig, nb::device::cpu>>(state["weights"]);
    require(std::all_of(weights.data(), weights.data() + weights.size(), [](float x) { return std::isfinite(x); }),
            "a weight is not finite");
    const Kernels& kernels = *available_kernels()[0];
    if (!state.contains("centre")) {
        require(weights.shape(0) > 0, "weights without an intercept");
        return std::make_unique<LinearModel>(weights.shape(0) - 1, weights.shape(1), weights.shape(2), weights.data(), kernels);
    }
    const auto squared = nb::cast<Array<const uint32_t>>(state["squared"]);
    const auto centre = nb::cast<Array<const double>>(state["centre"]);
    std::vector<uint8_t> whole(1);
    std::vector<double> largest(1);
    copy_from(state, "whole", whole);
    copy_from(state, "largest", largest);
    require(largest[0] > 0, "nothing is left of the features");
    FeatureMap map{centre.size(), whole[0] != 0, Standardiser(centre.size(), whole[0] != 0, {largest[0], 0, 0}), {}};
    copy_from(state, "centre", map.standardiser.centre);
    copy_from(state, "inverse", map.standardiser.inverse);
    for (std::size_t s = 0; s < squared.size(); ++s) require(squared(s) < centre.size(), "the square of a feature that there is not");
    map.squared.assign(squared.data(), squared.data() + squared.size());
    require(weights.shape(0) == map.size(), "one weight for each term");
    return std::make_unique<StandardisedModel>(std::move(map), weights.shape(1), weights.shape(2), weights.data(), kernels);
}

inline nb::dict state_of(const RecursiveLeastSquares& learner) {
    nb::dict state;
    const Standardiser& standardiser = learner.standardiser();
    state["squared"] = copy_of(learner.squared());
    state["ridges"] = copy_of(learner.ridges);
    state["sums"] = copy_of(standardiser.sums);
    state["squares"] = copy_of(standardiser.squares);
    state["centre"] = copy_of(standardiser.centre);
    state["inverse"] = copy_of(standardiser.inverse);
    state["shown"] = copy_of(standardiser.shown);
    state["varied"] = copy_of(standardiser.varied);
    state["peaks"] = copy_of(standardiser.peaks);
    state["seen"] = copy_of(std::vector<uint64_t>{standardiser.seen, standardiser.counted_from});
    const float* weights = learner.weights.data();
    state["weights"] = as_array(std::vector<float>(weights, weights + learner.terms() * learner.actions * learner.lanes));
    std::vector<uint32_t> own;
    std::vector<float> variances = learner.shared->variances, columns = learner.shared->columns;
    for (std::size_t a = 0; a < learner.actions; ++a) {
        if (!learner.own[a]) continue;
        own.push_back(static_cast<uint32_t>(a));
        variances.insert(variances.end(), learner.own[a]->variances.begin(), learner.own[a]->variances.end());
        columns.insert(columns.end(), learner.own[a]->columns.begin(), learner.own[a]->columns.end());
    }
    state["own"] = as_array(std::move(own));
    state["variances"] = as_array(std::move(variances));
    state["columns"] = as_array(std::move(columns));
    return state;
}

// Into a learner that has seen nothing.
inline void restore(RecursiveLeastSquares& learner, const nb::dict& state) {
    Standardiser& standardiser = learner.standardiser();
    const auto squared = nb::cast<Array<const uint32_t>>(state["squared"]);
    require(learner.inputs + squared.size() <= learner.most_terms(), "more terms than the learner has room for");
    for (std::size_t s = 0; s < squared.size(); ++s) {
        require(squared.data()[s] < learner.features(), "the square of a feature that there is not");
        require(std::count(squared.data(), squared.data() + s, squared.data()[s]) == 0, "a square that is there twice");
        learner.add_square(squared.data()[s]);
    }
    copy_from(state, "ridges", learner.ridges);
    copy_from(state, "sums", standardiser.sums);
    copy_from(state, "squares", standardiser.squares);
    copy_from(state, "centre", standardiser.centre);
    copy_from(state, "inverse", standardiser.inverse);
    copy_from(state, "shown", standardiser.shown);
    copy_from(state, "varied", standardiser.varied);
    copy_from(state, "peaks", standardiser.peaks);
    std::vector<uint64_t> seen(2);
    copy_from(state, "seen", seen);
    require(seen[1] <= seen[0], "counted from after the last example");
    standardiser.seen = seen[0];
    standardiser.counted_from = seen[1];
    std::vector<float> weights(learner.terms() * learner.actions * learner.lanes);
    copy_from(state, "weights", weights);
    std::copy(weights.begin(), weights.end(), learner.weights.data());
    const auto own = nb::cast<Array<const uint32_t>>(state["own"]);
    const std::size_t n_variances = learner.shared->variances.size(), n_columns = learner.shared->columns.size();
    std::vector<float> variances((1 + own.size()) * n_variances), columns((1 + own.size()) * n_columns);
    copy_from(state, "variances", variances);
    copy_from(state, "columns", columns);
    for (std::size_t k = 0; k <= own.size(); ++k) {
        require(k == 0 || own.data()[k - 1] < learner.actions, "an action out of range");
        if (k > 0) learner.own[own.data()[k - 1]] = std::make_unique<Factor>(*learner.shared);
        Factor& factor = k == 0 ? *learner.shared : *learner.own[own.data()[k - 1]];
        std::copy_n(variances.begin() + k * n_variances, n_variances, factor.variances.begin());
        std::copy_n(columns.begin() + k * n_columns, n_columns, factor.columns.begin());
    }
}

inline nb::dict state_of(const ProgressiveValidation& selector) {
    nb::dict state;
    state["sums"] = copy_of(selector.sums);
    state["rounds"] = copy_of(std::vector<uint64_t>{selector.rounds});
    return state;
}

inline void restore(ProgressiveValidation& selector, const nb::dict& state) {
    std::vector<uint64_t> rounds(1);
    copy_from(state, "sums", selector.sums);
    copy_from(state, "rounds", rounds);
    selector.rounds = rounds[0];
}

inline nb::dict state_of(const Contest& contest) {
    nb::dict state;
    state["sums"] = copy_of(contest.sums);
    state["weights"] = copy_of(contest.weights);
    state["dropped"] = copy_of(contest.dropped);
    state["bets"] = copy_of(contest.evidence.bets);
    state["winnings"] = copy_of(contest.evidence.winnings);
    state["penalties"] = copy_of(contest.evidence.penalties);
    state["squares"] = copy_of(contest.evidence.squares);
    state["total_cost"] = copy_of(std::vector<double>{contest.total_cost});
    state["rounds"] = copy_of(std::vector<uint64_t>{contest.rounds});
    return state;
}

inline void restore(Contest& contest, const nb::dict& state) {
    copy_from(state, "sums", contest.sums);
    copy_from(state, "weights", contest.weights);
    copy_from(state, "dropped", contest.dropped);
    copy_from(state, "bets", contest.evidence.bets);
    copy_from(state, "winnings", contest.evidence.winnings);
    copy_from(state, "penalties", contest.evidence.penalties);
    copy_from(state, "squares", contest.evidence.squares);
    std::vector<double> total_cost(1);
    std::vector<uint64_t> rounds(1);
    copy_from(state, "total_cost", total_cost);
    copy_from(state, "rounds", rounds);
    contest.total_cost = total_cost[0];
    contest.rounds = contest.evidence.rounds = rounds[0];
    contest.settle();
}

}  // namespace warmcb
