// Whole runs, compiled: the order of a round as the bandits' Python files have it, a second time.
#pragma once

#include "explorers.hpp"
#include "rows.hpp"
#include "selectors.hpp"
#include "ucb.hpp"

namespace warmcb {

// What happened in each round; arrays of the caller's.
struct Trace {
    int32_t* actions;
    double* probabilities;
    double* costs;
    int32_t* lanes;
};

struct Segment {
    std::size_t begin, end;  // rows
    uint64_t first_round;    // the round that row `begin` is played in
};

// The importance of an example that was drawn with a probability, for each lane.
template <class Learner>
void weigh(const Learner& learner, const double* lane_weights, double probability, float* importance) {
    const double inverse = Learner::weighs_by_propensity ? inverse_propensity(probability) : 1.0;
    for (std::size_t lane = 0; lane < learner.lanes; ++lane) importance[lane] = static_cast<float>(lane_weights[lane] * inverse);
}

// Teaches the cost of every action in every row.
template <class Learner>
void teach(Learner& learner, const Rows& rows, const Costs& costs, const float* importance) {
    Rows::Buffer buffer;
    for (std::size_t i = 0; i < rows.size(); ++i)
        learner.teach(rows.gather(i, buffer), [&](std::size_t action) { return costs(i, action); }, importance);
}

// bandits/_lanes.py and bandits/supervised_truth.py: decide, then learn unless lane_weights is null.
template <class Learner, class Selector, class Explorer>
void play(Learner& learner, Selector& selector, const Explorer& explorer, const Stream& random, const Rows& rows,
          const Costs& costs, Segment segment, const double* lane_weights, Trace trace) {
    std::vector<float> scores(learner.actions * learner.lanes), weights(learner.lanes);
    std::vector<double> probabilities(learner.actions);
    std::vector<int32_t> greedy(learner.lanes);
    std::vector<uint8_t> eligible(learner.lanes);
    Rows::Buffer buffer;
    for (std::size_t i = segment.begin, t = 0; i < segment.end; ++i, ++t) {
        const Row row = rows.gather(i, buffer);
        learner.predict(row, scores.data());
        learner.greedy(scores.data(), greedy.data());
        const std::size_t lane = selector.best();
        for (std::size_t other = 0; other < learner.lanes; ++other) eligible[other] = selector.eligible(other);
        const uint64_t round = segment.first_round + t;
        explorer.distribution({scores.data(), learner.actions, learner.lanes, greedy.data(), eligible.data(), lane}, round,
                              probabilities.data());
        const std::size_t action = draw(probabilities.data(), learner.actions, random.uniform(round));
        const double probability = probabilities[action], cost = costs(i, action);

        selector.add({scores.data(), greedy.data(), learner.lanes, action, cost, probability,
                      explorer.largest_weight(learner.actions, round, true),
                      explorer.largest_weight(learner.actions, round, false)});
        if (lane_weights) {
            weigh(learner, lane_weights, probability, weights.data());
            learner.update(row, action, cost, weights.data(), scores.data());
        }
        trace.actions[t] = static_cast<int32_t>(action);
        trace.probabilities[t] = probability;
        trace.costs[t] = cost;
        trace.lanes[t] = static_cast<int32_t>(lane);
    }
}

// bandits/warm_ucb.py
inline void play(LowerConfidenceBounds& bounds, const Costs& costs, Segment segment, Trace trace) {
    for (std::size_t i = segment.begin, t = 0; i < segment.end; ++i, ++t) {
        const std::size_t action = bounds.best();
        const double cost = costs(i, action);
        bounds.add(action, cost);
        trace.actions[t] = static_cast<int32_t>(action);
        trace.probabilities[t] = 1.0;
        trace.costs[t] = cost;
        trace.lanes[t] = 0;
    }
}

// The lowest-scored action of each lane in every row: rows × lanes.
template <class Learner> void predict_actions(const Learner& learner, const Rows& rows, int32_t* actions) {
    std::vector<float> scores(learner.actions * learner.lanes);
    Rows::Buffer buffer;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        learner.predict(rows.gather(i, buffer), scores.data());
        learner.greedy(scores.data(), actions + i * learner.lanes);
    }
}

}  // namespace warmcb
