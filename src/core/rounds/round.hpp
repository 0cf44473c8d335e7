// The steps of a round, compiled. bandits/arrow.py has the same in Python.
#pragma once

#include "data/cost_unit.hpp"
#include "explorers/draw.hpp"
#include "actions/offers.hpp"
#include "explorers/optimism.hpp"
#include "explorers/trial.hpp"

namespace warmcb {

// Working memory for one row. Each thread has its own, so that deciding does not change the bandit.
struct Scratch {
    std::vector<float> scores, lowered, importance;
    const float* optimistic = nullptr;  // the scores, minus the bonuses of new and of rarely played actions
    std::vector<int32_t> greedy;
    std::vector<uint8_t> eligible, allowed;
    std::size_t in_charge = 0;  // the lane that decided
    std::vector<double> probabilities;
    Rows::Buffer row;

    static Scratch& of_this_thread(std::size_t actions, std::size_t lanes) {
        static thread_local Scratch scratch;
        scratch.scores.resize(actions * lanes);
        scratch.importance.resize(lanes);
        scratch.greedy.resize(lanes);
        scratch.eligible.resize(lanes);
        scratch.allowed.resize(actions);
        scratch.probabilities.resize(actions);
        return scratch;
    }
};

// A decision with its cost.
struct Event {
    std::size_t action;
    double cost, probability;
    uint64_t round;  // the number of rounds that had been learned when it was made
    // false: the action was not drawn at random, so it teaches its cost, but says nothing about any λ
    bool drawn = true;
};

// Bonuses, which lower the scores of new actions and of actions that were not played for long.
struct Doubts {
    const Trial& trial;
    const Optimism& optimism;

    bool any() const { return trial.ran() || is_optimistic(); }
    float of(std::size_t action) const {
        return trial.doubt(action) + (is_optimistic() ? optimism.bonus(action) : 0.0f);
    }

private:
    bool is_optimistic() const { return optimism.has_any() && optimism.share() == 1; }
};

// Computes the scores of all lanes, and the action that each lane prefers after bonuses.
inline void look(const Predictor& predictor, const Doubts& doubts, const Offer& offer, Scratch& scratch) {
    offer.predict(predictor, scratch.scores.data());
    scratch.optimistic = scratch.scores.data();
    if (doubts.any()) {
        scratch.lowered = scratch.scores;
        for (std::size_t a = 0; a < offer.actions(); ++a) {
            const float doubt = doubts.of(a);
            for (std::size_t lane = 0; lane < predictor.lanes; ++lane)
                scratch.lowered[a * predictor.lanes + lane] -= doubt;
        }
        scratch.optimistic = scratch.lowered.data();
    }
    predictor.greedy(scratch.optimistic, offer.actions(), scratch.greedy.data());
}

// The parts that decide: those of a bandit, or of a snapshot.
struct Decider {
    const Predictor& predictor;
    const Selector& selector;
    const Explorer& explorer;
    const Trial& trial;
    const Optimism& optimism;
    double epsilon;

    Doubts doubts() const { return {trial, optimism}; }

    // Lines 3 and 4 of Algorithm 1, for an offer whose scores `look` has computed.
    std::size_t decide(std::size_t actions, uint64_t round, double uniform, Scratch& scratch,
                       double* probabilities) const {
        selector.mark_eligible(scratch.eligible.data(), predictor.lanes);
        scratch.in_charge = selector.best();
        // A bandit that has forgotten rounds explores as if they had not happened.
        const auto remembered =
            static_cast<uint64_t>(std::min(predictor.memory(predictor.lanes - 1), static_cast<double>(round)));
        const Opinions opinions{scratch.optimistic, actions, predictor.lanes, scratch.greedy.data(),
                                scratch.eligible.data(), scratch.in_charge, epsilon, remembered};
        explorer.distribution(opinions, probabilities);
        if (const double share = optimism.share(); share < 1) {
            const auto doubted = with_scores(opinions, [&](std::size_t a, float s) { return s - optimism.bonus(a); });
            for (std::size_t a = 0; a < actions; ++a)
                probabilities[a] = (1 - share) * probabilities[a] + share * doubted[a];
        }
        if (const double left = trial.mix(opinions, probabilities); left > 0) {
            const auto alone =
                with_scores(opinions, [&](std::size_t a, float s) { return trial.tries(a) ? not_allowed : s; });
            for (std::size_t a = 0; a < actions; ++a) probabilities[a] += left * alone[a];
        }
        return draw(probabilities, actions, uniform);
    }

private:
    // What the explorer would do if each score of an action were changed(action, score).
    template <class Changed>
    std::vector<double> with_scores(Opinions opinions, Changed&& changed) const {
        std::vector<float> scores(opinions.actions * opinions.lanes);
        std::vector<int32_t> greedy(opinions.lanes);
        std::vector<double> probabilities(opinions.actions);
        for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = changed(i / opinions.lanes, opinions.scores[i]);
        predictor.greedy(scores.data(), opinions.actions, greedy.data());
        opinions.scores = scores.data();
        opinions.greedy = greedy.data();
        explorer.distribution(opinions, probabilities.data());
        return probabilities;
    }
};

// The parts that learn, and the weights of an example in each lane.
struct Student {
    Learner& learner;
    Selector& selector;
    const Explorer& explorer;
    Trial& trial;
    Optimism& optimism;
    CostUnit& unit;
    double epsilon;
    const double* weights;  // the weight of a round in each lane; null: rounds teach nothing
    // actions × lanes: whether the lane has no label for the action, and learns it from rounds alone; null: none
    const uint8_t* unjudged;
    double unjudged_weight;
    bool by_propensity = learner.weighs_by_propensity();

    Doubts doubts() const { return {trial, optimism}; }

    // Lines 5 to 7 of Algorithm 1, for an offer whose scores `look` has computed. `now`: the number of learned rounds.
    void learn(const Offer& offer, const Event& event, uint64_t now, Scratch& scratch) const {
        if (const auto change = unit.see(event.cost)) {
            learner.rescale(change->a, change->b);
            look(learner, doubts(), offer, scratch);
        }
        const std::size_t actions = offer.actions();
        const uint8_t* marks = offer.allowed();
        const std::size_t allowed =
            marks ? std::count_if(marks, marks + actions, [](uint8_t one) { return one != 0; }) : actions;
        const auto largest = [&](bool of_eligible) {
            const double bound = explorer.largest_weight(allowed, epsilon, event.round, of_eligible);
            return trial.widened(optimism.widened(bound), event.round);
        };
        const uint64_t age = now > event.round ? now - event.round : 0;
        const Outcome outcome{scratch.scores.data(), scratch.greedy.data(), actions, learner.lanes, event.action,
                              unit.unit(event.cost), event.probability, largest(true), largest(false), age,
                              unit.fixed(), unit.varied()};
        optimism.add(event.action);
        if (event.drawn) {
            optimism.wait(age);
            selector.add(outcome);
        }
        trial.count(event.action, now);
        if (!weights) return;
        const double inverse = by_propensity ? offer.inverse(event.probability) : 1.0;
        const std::size_t lanes = learner.lanes;
        float* importance = scratch.importance.data();
        const uint8_t* alone = unjudged ? unjudged + event.action * lanes : nullptr;
        for (std::size_t lane = 0; lane < lanes; ++lane)
            importance[lane] = static_cast<float>((alone && alone[lane] ? unjudged_weight : weights[lane]) * inverse);
        const uint64_t changes = learner.changes();
        offer.update(learner, outcome, importance);
        if (learner.changes() != changes) selector.forget();
    }
};

// The record of each round, in arrays of the caller.
struct Trace {
    int32_t* actions;
    double* probabilities;
    double* costs;
    int32_t* lanes;
    double* memories;  // the number of rounds behind the predictions of the lane in charge

    Trace at(std::size_t t) const { return {actions + t, probabilities + t, costs + t, lanes + t, memories + t}; }
};

// Plays one round, and returns whether it was learned.
template <class CostOf>
bool play(const Decider& decider, const Student& student, const Offer& offer, uint64_t round, double uniform,
          CostOf&& cost_of, Scratch& scratch, Trace trace) {
    look(student.learner, student.doubts(), offer, scratch);
    const std::size_t action = decider.decide(offer.actions(), round, uniform, scratch, scratch.probabilities.data());
    const double probability = scratch.probabilities[action], cost = cost_of(action);
    *trace.actions = static_cast<int32_t>(action);
    *trace.probabilities = probability;
    *trace.costs = cost;
    *trace.lanes = static_cast<int32_t>(scratch.in_charge);
    *trace.memories = std::min(student.learner.memory(scratch.in_charge), static_cast<double>(round));
    if (std::isnan(cost)) return false;
    student.learn(offer, {action, cost, probability, round}, round, scratch);
    return true;
}

}  // namespace warmcb
