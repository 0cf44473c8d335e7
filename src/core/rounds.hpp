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
inline void weigh(const double* lane_weights, std::size_t lanes, double probability, float* importance) {
    const double inverse = inverse_propensity(probability);
    for (std::size_t lane = 0; lane < lanes; ++lane) importance[lane] = static_cast<float>(lane_weights[lane] * inverse);
}

// Teaches the cost of every action in every row.
template <class Learner>
void teach(Learner& learner, const Rows& rows, const Costs& costs, const float* importance) {
    std::vector<float> scores(learner.actions * learner.lanes);
    Rows::Buffer buffer;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Row row = rows.gather(i, buffer);
        learner.predict(row, scores.data());
        for (std::size_t a = 0; a < learner.actions; ++a) learner.update(row, a, costs(i, a), importance, scores.data());
    }
}

// bandits/arrow.py and bandits/supervised_truth.py: decide, then learn unless lane_weights is null.
template <class Learner, class Selector>
void play(Learner& learner, Selector& selector, const EpsilonGreedy& explorer, const Stream& random, const Rows& rows,
          const Costs& costs, Segment segment, const double* lane_weights, Trace trace) {
    std::vector<float> scores(learner.actions * learner.lanes), weights(learner.lanes);
    std::vector<double> probabilities(learner.actions);
    std::vector<int32_t> greedy(learner.lanes);
    Rows::Buffer buffer;
    for (std::size_t i = segment.begin, t = 0; i < segment.end; ++i, ++t) {
        const Row row = rows.gather(i, buffer);
        learner.predict(row, scores.data());
        const std::size_t lane = selector.best();
        explorer.probabilities(scores.data() + lane, learner.actions, learner.lanes, probabilities.data());
        const std::size_t action = draw(probabilities.data(), learner.actions, random.uniform(segment.first_round + t));
        const double probability = probabilities[action], cost = costs(i, action);

        learner.greedy(scores.data(), greedy.data());
        selector.add(greedy.data(), action, cost, probability);
        if (lane_weights) {
            weigh(lane_weights, learner.lanes, probability, weights.data());
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
