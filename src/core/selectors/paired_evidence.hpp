// How much worse the policies of each lane were than those of the last lane, as a weighted average over the rounds. The
// interval holds at all times together, if rounds are learned as they are played. It is the predictable
// empirical-Bernstein confidence sequence of Waudby-Smith and Ramdas (2023), for doubly robust differences with the
// model of the last lane.
#pragma once

#include "contracts.hpp"

namespace warmcb {

class PairedEvidence {
public:
    PairedEvidence(std::size_t lanes, double error)
        : bets(lanes), winnings(lanes), penalties(lanes), squares(lanes), error_(error) {}

    // For each lane: Σb, Σb·x, Σψ(b)·x² and Σx², for its differences x and the bets b.
    std::vector<double> bets, winnings, penalties, squares;
    uint64_t rounds = 0;
    uint64_t starts = 1;  // the number of starts; the k-th one has the share 1/(k(k+1)) of the error probability
    bool bounded = true;  // without a range of costs there is no interval

    void start_anew() {
        for (auto* sums : {&bets, &winnings, &penalties, &squares}) std::fill(sums->begin(), sums->end(), 0.0);
        rounds = 0;
        ++starts;
    }

    // New lanes have no evidence.
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

    // eligible: the lanes whose actions the explorer gave their full share. The last lane is always one of them.
    template <class Eligible> void add(const Outcome& round, Eligible&& eligible) {
        bounded &= round.bounded;
        if (!bounded) return;
        const std::size_t last = bets.size() - 1;
        const double log_of_error = this->log_of_error(),
                     budget = 2 * log_of_error / std::log(1 + static_cast<double>(++rounds));
        for (std::size_t lane = 0; lane < last; ++lane) {
            const double largest_weight = eligible(lane) ? round.largest_weight : round.largest_weight_ever;
            const double bound = 1 + largest_weight;  // of |x|: a difference of predictions, and one correction
            if (!std::isfinite(bound)) continue;      // no bet is possible
            // Any bet that is fixed in advance is valid; `bound` keeps the first bets small.
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

    // The interval of the mean difference to the last lane; positive if the lane is worse.
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

    // ln(2/error), with a union bound over the lanes and the starts.
    double log_of_error() const {
        const double lanes = static_cast<double>(std::max<std::size_t>(bets.size(), 2) - 1),
                     k = static_cast<double>(starts);
        return std::log(2 / error_ * lanes * k * (k + 1));
    }

    // The doubly robust cost of the lane's action: the expectation of the last lane, corrected by the observed cost.
    double value(const Outcome& round, std::size_t lane, double weight) const {
        const std::size_t last = bets.size() - 1;
        const double expected = round.expected(last, static_cast<std::size_t>(round.greedy[lane]));
        return expected + (round.played(lane) ? (round.cost - round.expected(last, round.action)) * weight : 0.0);
    }
};

}  // namespace warmcb
