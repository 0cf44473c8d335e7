// Which lane is in charge.
#pragma once

#include "contracts.hpp"

namespace warmcb {

// Algorithm 1, line 7: each lane pays cost/p whenever its greedy action is the one that was played.
class ProgressiveValidation : public Selector {
public:
    explicit ProgressiveValidation(std::size_t lanes) : sums(lanes) {}

    std::vector<double> sums;
    uint64_t rounds = 0;
    std::size_t first = 0;  // lanes before this one are not eligible

    void admit(std::size_t from) { first = from; }

    // Lanes from nothing start on equal terms with the one in charge.
    ProgressiveValidation with_lanes(const std::vector<std::size_t>& origins) const {
        ProgressiveValidation changed(origins.size());
        for (std::size_t lane = 0; lane < origins.size(); ++lane) changed.sums[lane] = sums[origins[lane] == from_nothing ? best() : origins[lane]];
        changed.rounds = rounds;
        changed.first = first == 0 ? 0 : origins.size() - 1;
        return changed;
    }

    std::size_t lanes() const override { return sums.size(); }

    // The eligible lane with the lowest sum, the first among equals.
    std::size_t best() const override { return std::min_element(sums.begin() + first, sums.end()) - sums.begin(); }
    void mark_eligible(uint8_t* marks, std::size_t lanes) const override {
        for (std::size_t lane = 0; lane < lanes; ++lane) marks[lane] = lane >= first;
    }
    double score(std::size_t lane) const { return sums[lane] / static_cast<double>(std::max<uint64_t>(rounds, 1)); }

    void add(const Outcome& round) override {
        const double score = round.cost * inverse_propensity(round.probability);
        for (std::size_t lane = 0; lane < sums.size(); ++lane) sums[lane] += round.played(lane) ? score : 0.0;
        ++rounds;
    }
};

// How much worse each lane's policies were than those of the last lane, on average, where earlier rounds weigh more: an
// interval that holds at all times at once, if rounds are learned as they are played. The predictable empirical-Bernstein
// confidence sequence of Waudby-Smith and Ramdas (2023), of doubly robust differences with the last lane's model.
class PairedEvidence {
public:
    PairedEvidence(std::size_t lanes, double error) : bets(lanes), winnings(lanes), penalties(lanes), squares(lanes), error_(error) {}

    // For each lane: Σb, Σb·x, Σψ(b)·x² and Σx² of its differences x and the bets b on them.
    std::vector<double> bets, winnings, penalties, squares;
    uint64_t rounds = 0;
    uint64_t starts = 1;  // it has started anew so often; the k-th time with the share 1/(k(k+1)) of all errors
    bool bounded = true;  // without a range of costs nothing is certain

    void start_anew() {
        for (auto* sums : {&bets, &winnings, &penalties, &squares}) std::fill(sums->begin(), sums->end(), 0.0);
        rounds = 0;
        ++starts;
    }

    // Of lanes from nothing nothing is known.
    PairedEvidence with_lanes(const std::vector<std::size_t>& origins) const {
        PairedEvidence changed(origins.size(), error_);
        for (std::size_t lane = 0; lane < origins.size(); ++lane) {
            if (origins[lane] == from_nothing) continue;
            changed.bets[lane] = bets[origins[lane]];
            changed.winnings[lane] = winnings[origins[lane]];
            changed.penalties[lane] = penalties[origins[lane]];
            changed.squares[lane] = squares[origins[lane]];
        }
        changed.rounds = rounds;
        changed.starts = starts;
        changed.bounded = bounded;
        return changed;
    }

    // eligible: whose actions the explorer gave their full share; the last lane's always.
    template <class Eligible> void add(const Outcome& round, Eligible&& eligible) {
        bounded &= round.bounded;
        if (!bounded) return;
        const std::size_t last = bets.size() - 1;
        const double log_of_error = this->log_of_error(), budget = 2 * log_of_error / std::log(1 + static_cast<double>(++rounds));
        for (std::size_t lane = 0; lane < last; ++lane) {
            const double largest_weight = eligible(lane) ? round.largest_weight : round.largest_weight_ever;
            const double bound = 1 + largest_weight;  // of |x|: the models' part and one correction
            if (!std::isfinite(bound)) continue;      // nothing can be bet on it
            // Any bet made in advance is valid; `bound` keeps the first ones small.
            const double b = std::min(std::sqrt(budget / (squares[lane] + bound)), 0.5 / bound);
            bets[lane] += b;
            if (round.greedy[lane] == round.greedy[last]) continue;
            const double weight = std::min(inverse_propensity(round.probability), largest_weight);
            const double x = value(round, lane, weight) - value(round, last, weight), share = b * bound;
            winnings[lane] += b * x;
            penalties[lane] += (-std::log1p(-share) - share) * (x / bound) * (x / bound);
            squares[lane] += x * x;
        }
    }

    // Of the mean difference to the last lane; positive: the lane is worse.
    std::pair<double, double> interval(std::size_t lane) const {
        if (!bounded) return {std::nan(""), std::nan("")};
        if (lane + 1 == bets.size()) return {0.0, 0.0};
        if (bets[lane] == 0) return {-1.0, 1.0};
        const double middle = winnings[lane] / bets[lane], width = (log_of_error() + penalties[lane]) / bets[lane];
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
        bounded &= other.bounded;
    }

private:
    double error_;

    // ln(2/error), and a union over the lanes and over the times it starts anew.
    double log_of_error() const {
        const double lanes = static_cast<double>(std::max<std::size_t>(bets.size(), 2) - 1), k = static_cast<double>(starts);
        return std::log(2 / error_ * lanes * k * (k + 1));
    }

    // What a lane's action costs, as the last lane expects it, corrected by what was seen.
    double value(const Outcome& round, std::size_t lane, double weight) const {
        const std::size_t last = bets.size() - 1;
        const double expected = round.expected(last, static_cast<std::size_t>(round.greedy[lane]));
        return expected + (round.played(lane) ? (round.cost - round.expected(last, round.action)) * weight : 0.0);
    }
};

// Lanes compared by a rule beside the paper's; lanes that are surely worse than the last one drop out.
class Contest : public Selector {
public:
    enum class Rule { baseline, running_baseline, self_normalised, doubly_robust, doubly_robust_in_charge, forecast };

    // contention: lanes that were charged so much more than the best are no longer explored, as that is no accident;
    // error_weight: of a squared forecast error beside a cost; error: the chance that any interval is ever wrong.
    Contest(std::size_t lanes, Rule rule, double contention, double error_weight, double error)
        : sums(lanes), weights(lanes), dropped(lanes), evidence(lanes, error), rule_(rule), contention_(contention),
          error_weight_(error_weight), error_(error) {}

    std::vector<double> sums, weights;  // what each lane was charged; of the self-normalised rule also Σ 1/p
    std::vector<uint8_t> dropped;
    PairedEvidence evidence;
    double total_cost = 0;
    uint64_t rounds = 0;    // behind the sums
    std::size_t first = 0;  // lanes before this one have learned nothing

    // Lanes that have learned something at last start on equal terms with the others.
    void admit(std::size_t from) {
        if (from < first) {
            const std::size_t lanes = sums.size();
            *this = Contest(lanes, rule_, contention_, error_weight_, error_);
        }
        first = from;
        settle();
    }

    // Lanes from nothing start on equal terms with the one in charge.
    Contest with_lanes(const std::vector<std::size_t>& origins) const {
        Contest changed(origins.size(), rule_, contention_, error_weight_, error_);
        for (std::size_t lane = 0; lane < origins.size(); ++lane) {
            const std::size_t origin = origins[lane] == from_nothing ? best_ : origins[lane];
            changed.sums[lane] = sums[origin];
            changed.weights[lane] = weights[origin];
            changed.dropped[lane] = dropped[origin];
        }
        changed.evidence = evidence.with_lanes(origins);
        changed.total_cost = total_cost;
        changed.rounds = rounds;
        changed.first = first == 0 ? 0 : origins.size() - 1;
        changed.settle();
        return changed;
    }

    // Whose actions are worth exploring: those in contention, and the last one, with which all are compared.
    bool eligible(std::size_t lane) const {
        if (lane + 1 == sums.size()) return true;
        return lane >= first && !dropped[lane] && (rule_ != Rule::forecast || sums[lane] <= sums[best_] + contention_);
    }
    void mark_eligible(uint8_t* marks, std::size_t lanes) const override {
        for (std::size_t lane = 0; lane < lanes; ++lane) marks[lane] = eligible(lane);
    }

    // The average charge. The self-normalised one starts from one example that cost ½.
    double score(std::size_t lane) const {
        if (rule_ == Rule::self_normalised) return (0.5 + sums[lane]) / (1 + weights[lane]);
        return sums[lane] / static_cast<double>(std::max<uint64_t>(rounds, 1));
    }

    std::size_t lanes() const override { return sums.size(); }

    // The lane with the lowest score of those that were not dropped, the first among equals.
    std::size_t best() const override { return best_; }

    void add(const Outcome& round) override {
        evidence.add(round, [&](std::size_t lane) { return eligible(lane); });
        for (std::size_t lane = 0; lane < sums.size(); ++lane) charge(lane, round);
        total_cost += round.cost;
        ++rounds;
        settle();
    }

    // What was charged before counts half, and lanes that were dropped may come back.
    void forget() override {
        for (auto* some : {&sums, &weights})
            for (double& sum : *some) sum /= 2;
        std::fill(dropped.begin(), dropped.end(), uint8_t(0));
        evidence.start_anew();
        total_cost /= 2;
        rounds /= 2;
        settle();
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
        settle();
    }

    // After any change: who is out, and who is in charge.
    void settle() {
        for (std::size_t lane = first; lane + 1 < sums.size(); ++lane)
            if (evidence.interval(lane).first > 0) dropped[lane] = true;
        best_ = sums.size() - 1;
        for (std::size_t lane = sums.size(); lane-- > first;)
            if (!dropped[lane] && score(lane) <= score(best_)) best_ = lane;
    }

private:
    Rule rule_;
    double contention_, error_weight_, error_;
    std::size_t best_ = 0;

    void charge(std::size_t lane, const Outcome& round) {
        const std::size_t last = sums.size() - 1;
        const bool played = round.played(lane);
        const double weight = inverse_propensity(round.probability), cost = round.cost;
        switch (rule_) {
        case Rule::baseline:
            sums[lane] += played ? (cost - 0.5) * weight : 0.0;
            break;
        case Rule::running_baseline:  // the average cost before this round, from a first example that cost ½
            sums[lane] += played ? (cost - (0.5 + total_cost) / static_cast<double>(1 + rounds)) * weight : 0.0;
            break;
        case Rule::self_normalised:
            sums[lane] += played ? cost * weight : 0.0;
            weights[lane] += played ? weight : 0.0;
            break;
        case Rule::doubly_robust:
        case Rule::doubly_robust_in_charge: {
            const std::size_t model = rule_ == Rule::doubly_robust ? last : best_;
            sums[lane] += round.expected(model, static_cast<std::size_t>(round.greedy[lane]));
            sums[lane] += played ? (cost - round.expected(model, round.action)) * weight : 0.0;
            break;
        }
        case Rule::forecast: {
            // What the lane's action cost or, if another was played, would have cost as λ = 1 sees it, which owes
            // nothing to the labels; and how far the lane's own forecast of the played action's cost was off.
            const double error = cost - round.expected(lane, round.action);
            sums[lane] += played ? cost : round.expected(last, static_cast<std::size_t>(round.greedy[lane]));
            sums[lane] += error_weight_ * error * error;
        }
        }
    }
};

// A lane that somebody else has chosen.
class FixedLane : public Selector {
public:
    FixedLane(std::size_t lane, std::size_t lanes) : lane_(lane), lanes_(lanes) {}

    std::size_t lanes() const override { return lanes_; }
    std::size_t best() const override { return lane_; }
    void mark_eligible(uint8_t* marks, std::size_t lanes) const override {
        for (std::size_t lane = 0; lane < lanes; ++lane) marks[lane] = lane == lane_;
    }
    void add(const Outcome&) override {}

private:
    std::size_t lane_, lanes_;
};

}  // namespace warmcb
