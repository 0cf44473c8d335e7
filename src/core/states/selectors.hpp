// The states of selectors: saved and restored.
#pragma once

#include "selectors/contest.hpp"
#include "selectors/progressive_validation.hpp"
#include "states/arrays_by_name.hpp"

namespace warmcb {

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
    state["if_lowest"] = copy_of(contest.if_lowest);
    state["if_highest"] = copy_of(contest.if_highest);
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
    copy_from(state, "if_lowest", contest.if_lowest);
    copy_from(state, "if_highest", contest.if_highest);
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

}  // namespace warmcb
