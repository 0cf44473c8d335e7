// The interfaces of the parts of a bandit. warmcb/contracts.py has the same in Python.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "data/explain.hpp"
#include "kernels/kernels.hpp"

namespace warmcb {

// The score of an action that is not allowed in a round.
constexpr float not_allowed = std::numeric_limits<float>::infinity();

// The origin of a lane that has learned nothing (with_lanes).
constexpr std::size_t from_nothing = std::numeric_limits<std::size_t>::max();

// The scores of a round, and the lane in charge. Scores and costs are in unit costs, from about 0 to 1, whatever the
// unit of the user's costs is (cost_unit.hpp).
struct Opinions {
    const float* scores;  // actions × lanes
    std::size_t actions, lanes;
    const int32_t* greedy;    // for each lane, of the allowed actions
    const uint8_t* eligible;  // for each lane
    std::size_t in_charge;
    double epsilon;
    uint64_t round;  // the number of rounds that were learned, without those that the learner has forgotten

    float score(std::size_t action, std::size_t lane) const { return scores[action * lanes + lane]; }
    float lowest(std::size_t lane) const { return score(static_cast<std::size_t>(greedy[lane]), lane); }
    bool allowed(std::size_t action) const { return scores[action * lanes] != not_allowed; }
    std::size_t count_allowed() const {
        std::size_t count = 0;
        for (std::size_t a = 0; a < actions; ++a) count += allowed(a);
        return count;
    }
};

// A cost is late if many rounds were learned since its decision, more than 16 or more than half of all: a mistake was
// then repeated for long before its costs showed it.
constexpr uint64_t most_prompt = 16;
inline bool is_late(uint64_t age, uint64_t learned) { return age > std::min(most_prompt, learned / 2); }

// The outcome of a round.
struct Outcome {
    const float* scores;    // actions × lanes: the present predictions
    const int32_t* greedy;  // for each lane, of the allowed actions
    std::size_t actions, lanes, action;
    double cost, probability;
    double largest_weight;       // an upper bound on 1/p of the actions that eligible lanes prefer
    double largest_weight_ever;  // an upper bound on 1/p of any action
    uint64_t age = 0;            // the number of rounds that were learned since the decision
    bool bounded = true;         // whether costs are known to be between 0 and 1
    bool varied = true;          // whether costs can be told apart: their range is known, or not all were equal

    bool played(std::size_t lane) const { return greedy[lane] == static_cast<int32_t>(action); }
    // The expected cost of an action in one lane, clipped to [0, 1].
    double expected(std::size_t lane, std::size_t of_action) const {
        return std::clamp(static_cast<double>(scores[of_action * lanes + lane]), 0.0, 1.0);
    }
};

// Rows of described actions in one context. They are made one at a time: a row is valid until the next one is made.
struct Pairs {
    std::size_t count;
    std::function<Row(std::size_t)> row;
};

// Predicts the costs of actions. Any number of threads may call it at the same time.
class Predictor {
public:
    Predictor(std::size_t features, std::size_t actions, std::size_t lanes, const Kernels& kernels)
        : inputs(features + 1), lanes(lanes), actions(actions), kernels(kernels) {}
    virtual ~Predictor() = default;

    const std::size_t inputs, lanes;  // inputs: the features and the intercept
    std::size_t actions;

    // scores: actions × lanes
    virtual void predict(Row row, float* scores) const = 0;
    // The same for described actions in one context: count × lanes.
    virtual void predict_pairs(const Pairs& pairs, float* scores) const {
        for (std::size_t k = 0; k < pairs.count; ++k) predict(pairs.row(k), scores + k * lanes);
    }
    // The contribution of each term to one score of a row.
    virtual std::vector<Contribution> explain(Row row, std::size_t action, std::size_t lane) const = 0;
    // The number of rounds that the predictions of a lane are based on; infinity for all rounds.
    virtual double memory(std::size_t) const { return std::numeric_limits<double>::infinity(); }

    // For each lane, the action with the lowest score among the first `of_actions`.
    void greedy(const float* scores, std::size_t of_actions, int32_t* best) const {
        kernels.greedy(scores, of_actions, lanes, best);
    }

protected:
    const Kernels& kernels;
};

// Learns from rounds.
class Learner : public Predictor {
public:
    using Predictor::Predictor;

    // Whether the weight of an example has the factor 1/p.
    virtual bool weighs_by_propensity() const = 0;
    // importance: a weight for each lane.
    virtual void update(Row row, const Outcome& outcome, const float* importance) = 0;
    // How many rows of an offer of described actions it wants to see before it learns one of them, and which one first.
    virtual std::pair<std::size_t, uint64_t> wants() const { return {0, 0}; }
    // Shows one of these rows: the learner may use it for the units of features.
    virtual void meet(Row, bool /* first */) {}
    // A copy that predicts as it does now, and does not learn.
    virtual std::unique_ptr<Predictor> snapshot() const = 0;
    // The unit of costs has changed: `cost` has become a·cost + b.
    virtual void rescale(double, double) {}
    // How often it has detected a change of the environment.
    virtual uint64_t changes() const { return 0; }
};

// Also learns from labelled examples.
class WarmLearner : public Learner {
public:
    using Learner::Learner;

    // costs: one for each action; NaN if it is unknown.
    virtual void teach(Row row, const double* costs, const float* importance) = 0;
    // Adds an action.
    virtual void add_action() = 0;
    // The same learner with other lanes. Each is a copy of the lane in `origins`, or a new one for from_nothing.
    virtual std::unique_ptr<WarmLearner> with_lanes(const std::vector<std::size_t>& origins) const = 0;
};

// Decides which lane is in charge.
class Selector {
public:
    virtual ~Selector() = default;

    virtual std::size_t lanes() const = 0;
    virtual std::size_t best() const = 0;
    // Writes for each lane whether its actions are explored.
    virtual void mark_eligible(uint8_t* marks, std::size_t lanes) const = 0;
    virtual void add(const Outcome& round) = 0;
    // The environment has changed: earlier evidence counts less.
    virtual void forget() {}
};

// Turns scores into the distribution that is played.
class Explorer {
public:
    virtual ~Explorer() = default;

    virtual void distribution(const Opinions& opinions, double* probabilities) const = 0;
    // An upper bound on 1/p of the actions that eligible lanes prefer, or of any action, for a number of allowed
    // actions.
    virtual double largest_weight(std::size_t allowed, double epsilon, uint64_t round, bool of_eligible) const = 0;
};

}  // namespace warmcb
