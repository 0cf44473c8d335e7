// The order of a round, compiled: what bandits/arrow.py says in Python.
#pragma once

#include "data/cost_unit.hpp"
#include "explorers/draw.hpp"
#include "actions/offers.hpp"
#include "explorers/optimism.hpp"
#include "explorers/trial.hpp"

namespace warmcb {

// What the lanes say of one row. Of the thread, so that deciding changes nothing.
struct Scratch {
    std::vector<float> scores, lowered, importance;
    const float* optimistic = nullptr;  // the scores; lowered ones where actions get the benefit of the doubt
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

// A decision that comes back with its cost.
struct Event {
    std::size_t action;
    double cost, probability;
    uint64_t round;  // how many rounds had been learned when it was decided
    bool drawn = true;  // false: somebody chose it without a draw; it says what the action costs, and nothing of any λ
};

// What lowers scores: new actions are tried out, and old ones that were not played for long.
struct Doubts {
    const Trial& trial;
    const Optimism& optimism;

    bool any() const { return trial.ran() || optimism.has_any(); }
    float of(std::size_t action) const { return trial.doubt(action) + (optimism.has_any() ? optimism.bonus(action) : 0.0f); }
};

// What all lanes predict, and what they would play, giving actions the benefit of the doubt.
inline void look(const Predictor& predictor, const Doubts& doubts, const Offer& offer, Scratch& scratch) {
    offer.predict(predictor, scratch.scores.data());
    scratch.optimistic = scratch.scores.data();
    if (doubts.any()) {
        scratch.lowered = scratch.scores;
        for (std::size_t a = 0; a < offer.actions(); ++a) {
            const float doubt = doubts.of(a);
            for (std::size_t lane = 0; lane < predictor.lanes; ++lane) scratch.lowered[a * predictor.lanes + lane] -= doubt;
        }
        scratch.optimistic = scratch.lowered.data();
    }
    predictor.greedy(scratch.optimistic, offer.actions(), scratch.greedy.data());
}

// What decides: a bandit as it is, or a snapshot of one.
struct Decider {
    const Predictor& predictor;
    const Selector& selector;
    const Explorer& explorer;
    const Trial& trial;
    const Optimism& optimism;
    double epsilon;

    Doubts doubts() const { return {trial, optimism}; }

    // Lines 3 and 4 of Algorithm 1, of an offer of so many actions that was looked at.
    std::size_t decide(std::size_t actions, uint64_t round, double uniform, Scratch& scratch, double* probabilities) const {
        selector.mark_eligible(scratch.eligible.data(), predictor.lanes);
        scratch.in_charge = selector.best();
        // A bandit that has forgotten is as young as its memory of rounds: it has to explore again.
        const auto remembered = static_cast<uint64_t>(std::min(predictor.memory(predictor.lanes - 1), static_cast<double>(round)));
        const Opinions opinions{scratch.optimistic, actions, predictor.lanes, scratch.greedy.data(), scratch.eligible.data(),
                                scratch.in_charge, epsilon, remembered};
        explorer.distribution(opinions, probabilities);
        trial.mix(opinions, probabilities);
        return draw(probabilities, actions, uniform);
    }
};

// What learns: the parts of a bandit, and what an example of either source weighs in each lane.
struct Student {
    Learner& learner;
    Selector& selector;
    const Explorer& explorer;
    Trial& trial;
    Optimism& optimism;
    CostUnit& unit;
    double epsilon;
    const double* weights;  // of a round, for each lane; null: rounds teach nothing
    const uint8_t* unjudged;  // actions × lanes: no label tells the lane of it, so that rounds are all there is to learn from; null: all do
    double unjudged_weight;
    bool by_propensity = learner.weighs_by_propensity();

    Doubts doubts() const { return {trial, optimism}; }

    // Lines 5 to 7 of Algorithm 1, of an offer that was looked at. `now`: how many rounds have been learned.
    void learn(const Offer& offer, const Event& event, uint64_t now, Scratch& scratch) const {
        if (const auto change = unit.see(event.cost)) {
            learner.rescale(change->a, change->b);
            look(learner, doubts(), offer, scratch);
        }
        const std::size_t actions = offer.actions();
        const uint8_t* marks = offer.allowed();
        const std::size_t allowed = marks ? std::count_if(marks, marks + actions, [](uint8_t one) { return one != 0; }) : actions;
        const auto largest = [&](bool of_eligible) {
            return trial.widened(explorer.largest_weight(allowed, epsilon, event.round, of_eligible), event.round);
        };
        const uint64_t age = now > event.round ? now - event.round : 0;
        const Outcome outcome{scratch.scores.data(), scratch.greedy.data(), actions, learner.lanes, event.action, unit.unit(event.cost),
                              event.probability, largest(true), largest(false), age, unit.fixed()};
        optimism.add(event.action);
        if (event.drawn) selector.add(outcome);
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

// What happened in each round; arrays of the caller's.
struct Trace {
    int32_t* actions;
    double* probabilities;
    double* costs;
    int32_t* lanes;
    double* memories;  // how many rounds the predictions of the lane in charge rest on

    Trace at(std::size_t t) const { return {actions + t, probabilities + t, costs + t, lanes + t, memories + t}; }
};

// One round; whether it was learned.
template <class CostOf>
bool play(const Decider& decider, const Student& student, const Offer& offer, uint64_t round, double uniform, CostOf&& cost_of,
          Scratch& scratch, Trace trace) {
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
