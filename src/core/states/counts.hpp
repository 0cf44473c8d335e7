// The states of Trial, Optimism and CostUnit: saved and restored.
#pragma once

#include "data/cost_unit.hpp"
#include "explorers/optimism.hpp"
#include "explorers/trial.hpp"
#include "states/arrays_by_name.hpp"

namespace warmcb {

inline State state_of(const Trial& trial) {
    State state;
    state["added"] = copy_of(trial.added);
    state["learned"] = copy_of(trial.learned);
    state["from"] = copy_of(trial.from);
    state["to"] = copy_of(trial.to);
    return state;
}

inline void restore(Trial& trial, const State& state) {
    copy_from(state, "added", trial.added);
    require(std::is_sorted(trial.added.begin(), trial.added.end()), "a new action before an old one");
    copy_from(state, "learned", trial.learned);
    copy_from(state, "from", trial.from);
    copy_from(state, "to", trial.to);
}

inline State state_of(const Optimism& optimism) {
    State state;
    state["counts"] = copy_of(optimism.counts);
    state["last"] = copy_of(optimism.last);
    state["rounds"] = copy_of(std::vector<uint64_t>{optimism.rounds});
    state["delay"] = copy_of(std::vector<double>{optimism.delay});
    return state;
}

inline void restore(Optimism& optimism, const State& state) {
    std::vector<uint64_t> rounds(1);
    std::vector<double> delay(1);
    copy_from(state, "counts", optimism.counts);
    copy_from(state, "last", optimism.last);
    copy_from(state, "rounds", rounds);
    copy_from(state, "delay", delay);
    require(std::all_of(optimism.counts.begin(), optimism.counts.end(), [](double count) { return count >= 0; }),
            "a negative count");
    require(std::all_of(optimism.last.begin(), optimism.last.end(), [&](uint64_t when) { return when <= rounds[0]; }),
            "counted after the last round");
    require(delay[0] >= 0, "a negative delay");
    optimism.rounds = rounds[0];
    optimism.delay = delay[0];
}

inline State state_of(const CostUnit& unit) {
    State state;
    state["numbers"] = copy_of(std::vector<double>{unit.low, unit.width, unit.lowest, unit.highest, unit.lowest_before,
                                                   unit.highest_before, unit.mean, unit.squares});
    state["seen"] = copy_of(std::vector<uint64_t>{unit.seen});
    return state;
}

inline void restore(CostUnit& unit, const State& state) {
    std::vector<double> numbers(8);
    std::vector<uint64_t> seen(1);
    copy_from(state, "numbers", numbers);
    copy_from(state, "seen", seen);
    require(numbers[1] > 0 && numbers[7] >= 0, "a unit of costs that is not positive");
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
