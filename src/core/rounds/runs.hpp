// Whole runs: many rounds in one call from Python.
#pragma once

#include "data/philox.hpp"
#include "explorers/ucb.hpp"
#include "rounds/round.hpp"

namespace warmcb {

struct Segment {
    std::size_t begin, end;           // rows
    uint64_t first_draw, first_round;  // of the row `begin`
};

// Plays the rows of a segment. Actions with unknown costs are not allowed.
inline void play(const Decider& decider, const Student& student, const Stream& random, const Rows& rows,
                 const Costs& costs, Segment segment, Trace trace) {
    Scratch& scratch = Scratch::of_this_thread(student.learner.actions, student.learner.lanes);
    for (std::size_t i = segment.begin, t = 0; i < segment.end; ++i, ++t) {
        const uint8_t* allowed = costs.known(i, student.learner.actions, scratch.allowed.data());
        const NumberedOffer offer(rows.gather(i, scratch.row), allowed, student.learner.actions);
        play(decider, student, offer, segment.first_round + t, random.uniform(segment.first_draw + t),
             [&](std::size_t action) { return costs(i, action); }, scratch, trace.at(t));
    }
}

// The same with described actions; costs[k] belongs to row k. If the cost of the chosen action is NaN, the round is not
// learned and not counted. Returns the number of learned rounds.
inline uint64_t play(const Decider& decider, const Student& student, const Stream& random, const Pairing& pairing,
                     const Offers& offers, const double* costs, Segment segment, Trace trace) {
    uint64_t round = segment.first_round;
    for (std::size_t i = segment.begin, t = 0; i < segment.end; ++i, ++t) {
        const DescribedOffer offer(pairing, offers, i);
        Scratch& scratch = Scratch::of_this_thread(offer.actions(), student.learner.lanes);
        round += play(decider, student, offer, round, random.uniform(segment.first_draw + t),
                      [&](std::size_t action) { return costs[offers.begin(i) + action]; }, scratch, trace.at(t));
    }
    return round;
}

// The rounds of bandits/warm_ucb.py.
inline void play(LowerConfidenceBounds& bounds, const Costs& costs, std::size_t begin, std::size_t end, Trace trace) {
    std::vector<uint8_t> buffer(bounds.counts.size());
    for (std::size_t i = begin, t = 0; i < end; ++i, ++t) {
        const std::size_t action = bounds.best(costs.known(i, buffer.size(), buffer.data()));
        const double cost = costs(i, action);
        bounds.add(action, cost);
        trace.actions[t] = static_cast<int32_t>(action);
        trace.probabilities[t] = 1.0;
        trace.costs[t] = cost;
        trace.lanes[t] = 0;
        trace.memories[t] = static_cast<double>(t);
    }
}

// Teaches the costs of every row.
inline void teach(WarmLearner& learner, const Rows& rows, const Costs& costs, const float* importance) {
    std::vector<double> buffer(learner.actions);
    Rows::Buffer row;
    for (std::size_t i = 0; i < rows.size(); ++i)
        learner.teach(rows.gather(i, row), costs.row(i, learner.actions, buffer.data()), importance);
}

}  // namespace warmcb
