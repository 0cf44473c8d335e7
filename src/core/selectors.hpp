// Which lane is in charge.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "kernels.hpp"

namespace warmcb {

// A round as a selector sees it.
struct Outcome {
    const float* scores;    // actions × lanes: what each lane predicted
    const int32_t* greedy;  // for each lane
    std::size_t lanes, action;
    double cost, probability;
    double largest_weight;  // of the actions that lanes want, no 1/p is larger

    bool played(std::size_t lane) const { return greedy[lane] == static_cast<int32_t>(action); }
    // What the model of one lane expects of an action.
    double expected(std::size_t lane, std::size_t of_action) const {
        return std::clamp(static_cast<double>(scores[of_action * lanes + lane]), 0.0, 1.0);
    }
};

// Algorithm 1, line 7: each lane pays cost/p whenever its greedy action is the one that was played.
class ProgressiveValidation {
public:
    explicit ProgressiveValidation(std::size_t lanes) : sums(lanes) {}

    std::vector<double> sums;
    uint64_t rounds = 0;
    std::size_t first = 0;  // lanes before this one are not eligible

    // The eligible lane with the lowest sum, the first among equals.
    std::size_t best() const { return std::min_element(sums.begin() + first, sums.end()) - sums.begin(); }
    bool eligible(std::size_t lane) const { return lane >= first; }

    void add(const Outcome& round) {
        const double score = round.cost * inverse_propensity(round.probability);
        for (std::size_t lane = 0; lane < sums.size(); ++lane) sums[lane] += round.played(lane) ? score : 0.0;
        ++rounds;
    }
};

// How much worse each lane's policies are than those of the last lane, λ = 1, on average: an interval that holds at all
// times at once, whatever made the decisions. The predictable empirical-Bernstein confidence sequence of Waudby-Smith and
// Ramdas (2023), of doubly robust differences with the last lane's model.
class PairedEvidence {
public:
    explicit PairedEvidence(std::size_t lanes) : bets(lanes), winnings(lanes), penalties(lanes), squares(lanes) {}

    // For each lane: Σb, Σb·x, Σψ(b)·x² and Σx² of its differences x and the bets b on them.
    std::vector<double> bets, winnings, penalties, squares;
    uint64_t rounds = 0;

    void add(const Outcome& round) {
        const std::size_t last = bets.size() - 1;
        const double weight = std::min(inverse_propensity(round.probability), round.largest_weight);
        const double bound = 1 + round.largest_weight;  // of |x|: the models' part and one correction
        const double correction = (round.cost - round.expected(last, round.action)) * weight;
        const auto value = [&](std::size_t lane) {
            return round.expected(last, static_cast<std::size_t>(round.greedy[lane])) + (round.played(lane) ? correction : 0.0);
        };
        const double of_last = value(last);
        const double budget = 2 * log_of_error / std::log(1 + static_cast<double>(++rounds));
        for (std::size_t lane = 0; lane < last; ++lane) {
            const double b = std::min(std::sqrt(budget / (squares[lane] + bound)), 0.5 / bound);
            bets[lane] += b;
            if (round.greedy[lane] == round.greedy[last]) continue;
            const double x = value(lane) - of_last, share = b * bound;
            winnings[lane] += b * x;
            penalties[lane] += (-std::log1p(-share) - share) * (x / bound) * (x / bound);
            squares[lane] += x * x;
        }
    }

    // Of the mean difference to the last lane; positive: the lane is worse.
    std::pair<double, double> interval(std::size_t lane) const {
        if (lane + 1 == bets.size()) return {0.0, 0.0};
        if (bets[lane] == 0) return {-1.0, 1.0};
        const double middle = winnings[lane] / bets[lane], width = (log_of_error + penalties[lane]) / bets[lane];
        return {std::max(middle - width, -1.0), std::min(middle + width, 1.0)};
    }

    void merge(const PairedEvidence& other) {
        for (std::size_t lane = 0; lane < bets.size(); ++lane) {
            bets[lane] += other.bets[lane];
            winnings[lane] += other.winnings[lane];
            penalties[lane] += other.penalties[lane];
            squares[lane] += other.squares[lane];
        }
        rounds += other.rounds;
    }

private:
    // ln(2/0.05), and a union over the lanes.
    const double log_of_error = std::log(40.0 * static_cast<double>(std::max<std::size_t>(bets.size(), 2) - 1));
};

// Lanes compared by a rule beside the paper's; lanes that are surely worse than the last one drop out.
class Contest {
public:
    enum class Rule { baseline, running_baseline, self_normalised, doubly_robust, doubly_robust_in_charge, forecast };

    Contest(std::size_t lanes, Rule rule) : sums(lanes), weights(lanes), dropped(lanes), evidence(lanes), rule_(rule) {}

    std::vector<double> sums, weights;  // what each lane was charged; of the self-normalised rule also Σ 1/p
    std::vector<uint8_t> dropped;
    PairedEvidence evidence;
    double total_cost = 0;
    uint64_t rounds = 0;
    std::size_t first = 0;

    bool eligible(std::size_t lane) const { return lane >= first && !dropped[lane]; }

    // The average charge. The self-normalised one starts from one example that cost ½.
    double score(std::size_t lane) const {
        if (rule_ == Rule::self_normalised) return (0.5 + sums[lane]) / (1 + weights[lane]);
        return sums[lane] / static_cast<double>(std::max<uint64_t>(rounds, 1));
    }

    // The eligible lane with the lowest score, the first among equals.
    std::size_t best() const {
        std::size_t best = sums.size() - 1;
        double lowest = std::numeric_limits<double>::infinity();
        for (std::size_t lane = first; lane < sums.size(); ++lane)
            if (!dropped[lane] && score(lane) < lowest) lowest = score(best = lane);
        return best;
    }

    void add(const Outcome& round) {
        const std::size_t in_charge = best();
        for (std::size_t lane = 0; lane < sums.size(); ++lane) charge(lane, in_charge, round);
        total_cost += round.cost;
        ++rounds;
        evidence.add(round);
        for (std::size_t lane = first; lane + 1 < sums.size(); ++lane)
            if (evidence.interval(lane).first > 0) dropped[lane] = true;
    }

    void merge(const Contest& other) {
        for (std::size_t lane = 0; lane < sums.size(); ++lane) {
            sums[lane] += other.sums[lane];
            weights[lane] += other.weights[lane];
            dropped[lane] |= other.dropped[lane];
        }
        evidence.merge(other.evidence);
        total_cost += other.total_cost;
        rounds += other.rounds;
    }

private:
    static constexpr double forecast_error_weight = 3;
    Rule rule_;

    void charge(std::size_t lane, std::size_t in_charge, const Outcome& round) {
        const std::size_t last = sums.size() - 1;
        const bool played = round.played(lane);
        const double weight = inverse_propensity(round.probability);
        switch (rule_) {
        case Rule::baseline:
            sums[lane] += played ? (round.cost - 0.5) * weight : 0.0;
            break;
        case Rule::running_baseline:  // the average cost before this round, from a first example that cost ½
            sums[lane] += played ? (round.cost - (0.5 + total_cost) / static_cast<double>(1 + rounds)) * weight : 0.0;
            break;
        case Rule::self_normalised:
            sums[lane] += played ? round.cost * weight : 0.0;
            weights[lane] += played ? weight : 0.0;
            break;
        case Rule::doubly_robust:
        case Rule::doubly_robust_in_charge: {
            const std::size_t model = rule_ == Rule::doubly_robust ? last : in_charge;
            sums[lane] += round.expected(model, static_cast<std::size_t>(round.greedy[lane]));
            sums[lane] += played ? (round.cost - round.expected(model, round.action)) * weight : 0.0;
            break;
        }
        case Rule::forecast: {
            // What the lane's action cost or, if another was played, would have cost as λ = 1 sees it, which owes
            // nothing to the labels; and how far the lane's own forecast of the played action's cost was off.
            const double error = round.cost - round.expected(lane, round.action);
            sums[lane] += played ? round.cost : round.expected(last, static_cast<std::size_t>(round.greedy[lane]));
            sums[lane] += forecast_error_weight * error * error;
        }
        }
    }
};

// A lane that somebody else has chosen.
struct FixedLane {
    std::size_t lane;
    std::size_t best() const { return lane; }
    bool eligible(std::size_t other) const { return other == lane; }
    void add(const Outcome&) {}
};

}  // namespace warmcb
