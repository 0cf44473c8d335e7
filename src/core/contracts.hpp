// What the parts of a bandit promise each other; warmcb/contracts.py says the same in Python.
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

// What an action scores that is not allowed in a round: worse than anything.
constexpr float not_allowed = std::numeric_limits<float>::infinity();

// Where a lane comes from that has learned nothing (with_lanes).
constexpr std::size_t from_nothing = std::numeric_limits<std::size_t>::max();

// What the lanes say of the actions of a round, and whom to listen to. Scores and costs are in unit costs: from about 0 to
// 1, whatever people pay in (cost_unit.hpp).
struct Opinions {
    const float* scores;  // actions × lanes
    std::size_t actions, lanes;
    const int32_t* greedy;    // for each lane, of the allowed actions
    const uint8_t* eligible;  // for each lane
    std::size_t in_charge;
    double epsilon;
    uint64_t round;  // how many rounds have been learned; fewer, if the learner has forgotten some

    float score(std::size_t action, std::size_t lane) const { return scores[action * lanes + lane]; }
    float lowest(std::size_t lane) const { return score(static_cast<std::size_t>(greedy[lane]), lane); }
    bool allowed(std::size_t action) const { return scores[action * lanes] != not_allowed; }
    std::size_t count_allowed() const {
        std::size_t count = 0;
        for (std::size_t a = 0; a < actions; ++a) count += allowed(a);
        return count;
    }
};

// What became of a round.
struct Outcome {
    const float* scores;    // actions × lanes: what each lane predicts now
    const int32_t* greedy;  // for each lane, of the allowed actions
    std::size_t actions, lanes, action;
    double cost, probability;
    double largest_weight;       // no 1/p of an action that an eligible lane wanted is larger
    double largest_weight_ever;  // of any action
    uint64_t age = 0;            // how many rounds have been learned since the decision
    bool bounded = true;         // whether costs surely lie between 0 and 1

    bool played(std::size_t lane) const { return greedy[lane] == static_cast<int32_t>(action); }
    // What the model of one lane expects of an action, from 0 to 1.
    double expected(std::size_t lane, std::size_t of_action) const {
        return std::clamp(static_cast<double>(scores[of_action * lanes + lane]), 0.0, 1.0);
    }
};

// Rows that describe actions in one context, made one after the other: each is valid until the next.
struct Pairs {
    std::size_t count;
    std::function<Row(std::size_t)> row;
};

// Scores actions. Any number of threads may ask at once.
class Predictor {
public:
    Predictor(std::size_t features, std::size_t actions, std::size_t lanes, const Kernels& kernels)
        : inputs(features + 1), lanes(lanes), actions(actions), kernels(kernels) {}
    virtual ~Predictor() = default;

    const std::size_t inputs, lanes;  // inputs: the features and the intercept
    std::size_t actions;

    // scores: actions × lanes
    virtual void predict(Row row, float* scores) const = 0;
    // The same for rows that describe actions in one context: count × lanes.
    virtual void predict_pairs(const Pairs& pairs, float* scores) const {
        for (std::size_t k = 0; k < pairs.count; ++k) predict(pairs.row(k), scores + k * lanes);
    }
    // What each term adds to one score of a row.
    virtual std::vector<Contribution> explain(Row row, std::size_t action, std::size_t lane) const = 0;
    // How many rounds a lane's predictions rest on; infinity: all of them.
    virtual double memory(std::size_t) const { return std::numeric_limits<double>::infinity(); }

    // The lowest-scored of so many actions, for each lane.
    void greedy(const float* scores, std::size_t of_actions, int32_t* best) const { kernels.greedy(scores, of_actions, lanes, best); }

protected:
    const Kernels& kernels;
};

// Learns from rounds.
class Learner : public Predictor {
public:
    using Predictor::Predictor;

    // Whether 1/p is a factor of an example's weight.
    virtual bool weighs_by_propensity() const = 0;
    // importance: a weight for each lane.
    virtual void update(Row row, const Outcome& outcome, const float* importance) = 0;
    // How many rows of an offer of described actions it wants to meet before an example of it, and which one first.
    virtual std::pair<std::size_t, uint64_t> wants() const { return {0, 0}; }
    // One of these rows, which teaches nothing but what features are like.
    virtual void meet(Row, bool /* first */) {}
    // What it predicts now, for ever.
    virtual std::unique_ptr<Predictor> snapshot() const = 0;
    // The unit of costs has changed: what was `cost` is a·cost + b.
    virtual void rescale(double, double) {}
    // How often it has noticed that the world has changed.
    virtual uint64_t changes() const { return 0; }
};

// Learns from labelled examples, too.
class WarmLearner : public Learner {
public:
    using Learner::Learner;

    // costs: of each action; NaN: nobody has judged it.
    virtual void teach(Row row, const double* costs, const float* importance) = 0;
    // One action more, of which nothing is known.
    virtual void add_action() = 0;
    // The same with other lanes: each a copy of the lane that `origins` names, or one from_nothing.
    virtual std::unique_ptr<WarmLearner> with_lanes(const std::vector<std::size_t>& origins) const = 0;
};

// Says which lane is in charge.
class Selector {
public:
    virtual ~Selector() = default;

    virtual std::size_t lanes() const = 0;
    virtual std::size_t best() const = 0;
    // Writes for each lane whether its actions are worth exploring.
    virtual void mark_eligible(uint8_t* marks, std::size_t lanes) const = 0;
    virtual void add(const Outcome& round) = 0;
    // The world has changed: what was is no evidence of what will be.
    virtual void forget() {}
};

// Makes of opinions the distribution that is played.
class Explorer {
public:
    virtual ~Explorer() = default;

    virtual void distribution(const Opinions& opinions, double* probabilities) const = 0;
    // The largest 1/p of the actions that eligible lanes want, or of any, where so many are allowed.
    virtual double largest_weight(std::size_t allowed, double epsilon, uint64_t round, bool of_eligible) const = 0;
};

}  // namespace warmcb
