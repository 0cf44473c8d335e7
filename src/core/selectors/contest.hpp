// Compares lanes by one of several rules. Lanes that are certainly worse than the last one drop out.
#pragma once

#include "selectors/paired_evidence.hpp"

namespace warmcb {

class Contest : public Selector {
public:
    enum class Rule { baseline, running_baseline, self_normalised, doubly_robust, doubly_robust_in_charge, forecast };

    // contention: lanes whose charge is higher than the best by more than this are not explored any more; error_weight:
    // the weight of a squared forecast error compared to a cost; error: the probability that any interval ever fails.
    Contest(std::size_t lanes, Rule rule, double contention, double error_weight, double error)
        : sums(lanes), weights(lanes), if_lowest(lanes), if_highest(lanes), dropped(lanes), evidence(lanes, error),
          rule_(rule), contention_(contention), error_weight_(error_weight), error_(error) {}

    std::vector<double> sums, weights;  // the charge of each lane; for the self-normalised rule also Σ 1/p
    // The charges of the first rounds, as long as all costs are equal: nobody knows then whether they are low or high.
    std::vector<double> if_lowest, if_highest;
    std::vector<uint8_t> dropped;
    PairedEvidence evidence;
    double total_cost = 0;
    uint64_t rounds = 0;    // the number of rounds in the sums
    std::size_t first = 0;  // lanes before this one have learned nothing

    // Lanes that learn for the first time start with the same charge as the others.
    void admit(std::size_t from) {
        if (from < first) {
            const std::size_t lanes = sums.size();
            *this = Contest(lanes, rule_, contention_, error_weight_, error_);
        }
        first = from;
        settle();
    }

    // New lanes start with the charge of the lane in charge.
    Contest with_lanes(const std::vector<std::size_t>& origins) const {
        Contest changed(origins.size(), rule_, contention_, error_weight_, error_);
        for (std::size_t lane = 0; lane < origins.size(); ++lane) {
            const std::size_t origin = origins[lane] == from_nothing ? best_ : origins[lane];
            changed.sums[lane] = sums[origin];
            changed.weights[lane] = weights[origin];
            changed.if_lowest[lane] = if_lowest[origin];
            changed.if_highest[lane] = if_highest[origin];
            changed.dropped[lane] = dropped[origin];
        }
        changed.evidence = evidence.with_lanes(origins);
        changed.total_cost = total_cost;
        changed.rounds = rounds;
        changed.first = first == 0 ? 0 : origins.size() - 1;
        changed.settle();
        return changed;
    }

    // Whether the actions of a lane are explored: it is in contention, or the last one, with which all are compared.
    bool eligible(std::size_t lane) const {
        if (lane + 1 == sums.size()) return true;
        return lane >= first && !dropped[lane] && (rule_ != Rule::forecast || sums[lane] <= sums[best_] + contention_);
    }
    void mark_eligible(uint8_t* marks, std::size_t lanes) const override {
        for (std::size_t lane = 0; lane < lanes; ++lane) marks[lane] = eligible(lane);
    }

    // The average charge. The self-normalised rule starts with one example of cost ½.
    double score(std::size_t lane) const {
        if (rule_ == Rule::self_normalised) return (0.5 + sums[lane]) / (1 + weights[lane]);
        return sums[lane] / static_cast<double>(std::max<uint64_t>(rounds, 1));
    }

    std::size_t lanes() const override { return sums.size(); }

    // Among the lanes that were not dropped, the first one with the lowest score.
    std::size_t best() const override { return best_; }

    void add(const Outcome& round) override {
        evidence.add(round, [&](std::size_t lane) { return eligible(lane); });
        if (rule_ == Rule::forecast && !round.varied) {
            for (std::size_t lane = 0; lane < sums.size(); ++lane) {
                if_lowest[lane] += forecast_charge(lane, round, 0);
                if_highest[lane] += forecast_charge(lane, round, 1);
            }
        } else {
            charge_equal_rounds(round.cost);
            for (std::size_t lane = 0; lane < sums.size(); ++lane) charge(lane, round);
        }
        total_cost += round.cost;
        ++rounds;
        settle();
    }

    // Earlier charges count half, and dropped lanes may come back.
    void forget() override {
        for (auto* some : {&sums, &weights, &if_lowest, &if_highest})
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
            if_lowest[lane] += other.if_lowest[lane];
            if_highest[lane] += other.if_highest[lane];
            dropped[lane] |= other.dropped[lane];
        }
        evidence.merge(other.evidence);
        total_cost += other.total_cost;
        rounds += other.rounds;
        settle();
    }

    // After any change: finds the lanes that drop out, and the lane in charge.
    void settle() {
        for (std::size_t lane = first; lane + 1 < sums.size(); ++lane)
            if (evidence.interval(lane).first > 0) dropped[lane] = true;
        best_ = sums.size() - 1;
        for (std::size_t lane = sums.size(); lane-- > first;)
            if (!dropped[lane] && score(lane) <= score(best_)) best_ = lane;
        // The labels may be the reason why all costs are equal.
        if (all_were_equal() && rounds >= 3 && rounds % 2 == 1) best_ = sums.size() - 1;
    }

private:
    Rule rule_;
    double contention_, error_weight_, error_;
    std::size_t best_ = 0;

    bool all_were_equal() const { return if_highest.back() > 0; }

    // Now that there is another cost, it is known whether the equal ones were low or high.
    void charge_equal_rounds(double other_cost) {
        if (!all_were_equal()) return;
        const std::vector<double>& charges = other_cost > 0.5 ? if_lowest : if_highest;
        for (std::size_t lane = 0; lane < sums.size(); ++lane) sums[lane] += charges[lane];
        std::fill(if_lowest.begin(), if_lowest.end(), 0.0);
        std::fill(if_highest.begin(), if_highest.end(), 0.0);
    }

    // The lane λ = 1 is the judge, as it has no labels. It believes in actions that it has not seen fail. If costs are
    // prompt, it is in charge for a few rounds then, and learns better; if they are late, it would be in charge for
    // many, so all lanes are heard.
    double expected(const Outcome& round, std::size_t action) const {
        const std::size_t last = sums.size() - 1;
        if (!is_late(round.age, rounds)) return round.expected(last, action);
        double sum = 0;
        for (std::size_t lane = first; lane <= last; ++lane) sum += round.expected(lane, action);
        return sum / static_cast<double>(last + 1 - first);
    }

    // The cost of the lane's action, or its expected cost if another action was played; and the squared error of the
    // lane's own forecast for the action that was played.
    double forecast_charge(std::size_t lane, const Outcome& round, double cost) const {
        const double error = cost - round.expected(lane, round.action);
        const double paid =
            round.played(lane) ? cost : expected(round, static_cast<std::size_t>(round.greedy[lane]));
        return paid + error_weight_ * error * error;
    }

    void charge(std::size_t lane, const Outcome& round) {
        const std::size_t last = sums.size() - 1;
        const bool played = round.played(lane);
        const double weight = inverse_propensity(round.probability), cost = round.cost;
        switch (rule_) {
        case Rule::baseline:
            sums[lane] += played ? (cost - 0.5) * weight : 0.0;
            break;
        case Rule::running_baseline:  // the average cost so far, starting with an example of cost ½
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
        case Rule::forecast:
            sums[lane] += forecast_charge(lane, round, cost);
        }
    }
};

}  // namespace warmcb
