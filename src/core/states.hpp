// What the parts of a bandit know, as dictionaries of arrays: for saving, and back.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <type_traits>

#include "arrays.hpp"
#include "cost_unit.hpp"
#include "online_linear.hpp"
#include "optimism.hpp"
#include "selectors.hpp"

namespace warmcb {

template <class T> Numpy<T> copy_of(const std::vector<T>& values) { return as_array(std::vector<T>(values)); }

template <class T> void copy_from(const State& state, const char* name, std::vector<T>& to) {
    const auto array = nb::cast<Array<const T>>(state[name], false);
    require(array.size() == to.size(), "an array of the state has another size");
    if constexpr (std::is_floating_point_v<T>)
        require(std::all_of(array.data(), array.data() + array.size(), [](T x) { return std::isfinite(x); }),
                "an array of the state is not finite");
    std::copy(array.data(), array.data() + array.size(), to.begin());
}

// Only the features that were ever seen: a sparse model of millions stays a small file.
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

// Into a learner that has seen nothing.
inline void restore(OnlineLinear& learner, const State& state) {
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

// Only the features that have a weight, for the same reason.
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

inline State state_of(const ProgressiveValidation& selector) {
    State state;
    state["sums"] = copy_of(selector.sums);
    state["rounds"] = copy_of(std::vector<uint64_t>{selector.rounds});
    return state;
}

inline void restore(ProgressiveValidation& selector, const State& state) {
    std::vector<uint64_t> rounds(1);
    copy_from(state, "sums", selector.sums);
    copy_from(state, "rounds", rounds);
    selector.rounds = rounds[0];
}

inline State state_of(const Contest& contest) {
    State state;
    state["sums"] = copy_of(contest.sums);
    state["weights"] = copy_of(contest.weights);
    state["dropped"] = copy_of(contest.dropped);
    state["bets"] = copy_of(contest.evidence.bets);
    state["winnings"] = copy_of(contest.evidence.winnings);
    state["penalties"] = copy_of(contest.evidence.penalties);
    state["squares"] = copy_of(contest.evidence.squares);
    state["total_cost"] = copy_of(std::vector<double>{contest.total_cost});
    state["rounds"] = copy_of(std::vector<uint64_t>{contest.rounds, contest.evidence.rounds, contest.evidence.starts});
    state["bounded"] = copy_of(std::vector<uint8_t>{contest.evidence.bounded});
    return state;
}

inline void restore(Contest& contest, const State& state) {
    copy_from(state, "sums", contest.sums);
    copy_from(state, "weights", contest.weights);
    copy_from(state, "dropped", contest.dropped);
    copy_from(state, "bets", contest.evidence.bets);
    copy_from(state, "winnings", contest.evidence.winnings);
    copy_from(state, "penalties", contest.evidence.penalties);
    copy_from(state, "squares", contest.evidence.squares);
    std::vector<double> total_cost(1);
    std::vector<uint64_t> rounds(3);
    std::vector<uint8_t> bounded(1);
    copy_from(state, "total_cost", total_cost);
    copy_from(state, "rounds", rounds);
    copy_from(state, "bounded", bounded);
    contest.total_cost = total_cost[0];
    contest.rounds = rounds[0];
    contest.evidence.rounds = rounds[1];
    contest.evidence.starts = rounds[2];
    contest.evidence.bounded = bounded[0] != 0;
    contest.settle();
}

inline State state_of(const Optimism& optimism) {
    State state;
    state["counts"] = copy_of(optimism.counts);
    state["last"] = copy_of(optimism.last);
    state["rounds"] = copy_of(std::vector<uint64_t>{optimism.rounds});
    return state;
}

inline void restore(Optimism& optimism, const State& state) {
    std::vector<uint64_t> rounds(1);
    copy_from(state, "counts", optimism.counts);
    copy_from(state, "last", optimism.last);
    copy_from(state, "rounds", rounds);
    require(std::all_of(optimism.counts.begin(), optimism.counts.end(), [](double count) { return count >= 0; }), "a negative count");
    require(std::all_of(optimism.last.begin(), optimism.last.end(), [&](uint64_t when) { return when <= rounds[0]; }),
            "counted after the last round");
    optimism.rounds = rounds[0];
}

inline State state_of(const CostUnit& unit) {
    State state;
    state["numbers"] = copy_of(std::vector<double>{unit.low, unit.width, unit.lowest, unit.highest, unit.lowest_before, unit.highest_before,
                                                   unit.mean, unit.squares});
    state["seen"] = copy_of(std::vector<uint64_t>{unit.seen});
    return state;
}

inline void restore(CostUnit& unit, const State& state) {
    std::vector<double> numbers(8);
    std::vector<uint64_t> seen(1);
    copy_from(state, "numbers", numbers);
    copy_from(state, "seen", seen);
    require(numbers[1] > 0 && numbers[7] >= 0, "a unit that is not positive");
    require(!unit.fixed() || (unit.low == numbers[0] && unit.width == numbers[1]), "another range of costs");
    unit.low = numbers[0];
    unit.width = numbers[1];
    unit.lowest = numbers[2];
    unit.highest = numbers[3];
    unit.lowest_before = numbers[4];
    unit.highest_before = numbers[5];
    unit.mean = numbers[6];
    unit.squares = numbers[7];
    unit.seen = seen[0];
}

}  // namespace warmcb
