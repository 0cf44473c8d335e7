// The weights of several forecasts, in an environment that may change.
#pragma once

#include <numeric>
#include <tuple>

#include "least_squares/lane_models.hpp"

namespace warmcb {

// The forecast of a lane is a mixture of experts: its own models of several sizes, which remember everything, and
// models with shorter memories, which all lanes share. Weights follow the squared errors in unit costs, by fixed share
// (Herbster and Warmuth, 1998): every expert keeps some weight, so that it soon gets more when it becomes the best. The
// sizes are mixed first, with a slow rate, as their average forecasts better than the best of them. Then this mixture
// competes with the memories as one expert.
//
// The last memory is the candidate. It starts from nothing whenever the errors of the last 25 rounds are significantly
// larger than those of the last 400. A false alarm costs almost nothing, as the candidate has to earn its weight. If it
// does not within 1,000 rounds, it is stopped.
//
// A model whose forecasts were worse than those of a shorter memory for long enough (a CUSUM) is replaced by a copy of
// it.
class Memories {
public:
    struct Options {
        std::vector<double> half_lives;  // half-lives of the memories, the longest first; 0 for the candidate
        double rate, size_rate, share;   // of the mixture
        // how much better a shorter memory has to be, in nats beyond ln(rounds), before it is copied
        double patience;
    };

    // own: the number of models of each lane; the last one is the largest.
    Memories(std::size_t lanes, std::size_t own, Options of_memories)
        : options(std::move(of_memories)), ages(lanes + count()), lanes_(lanes), own_(own), prior_(experts()) {
        mixture.resize(lanes * experts());
        better.resize((lanes + count()) * count());
        // The candidate may be a false alarm: it gets little.
        const double shorter = count() == 0 ? 0 : 0.2, candidate = count() == 1 ? shorter : shorter / 10;
        for (std::size_t e = 0; e < experts(); ++e) {
            if (e < own) prior_[e] = (1 - shorter) / static_cast<double>(own);
            else if (e + 1 == experts()) prior_[e] = candidate;
            else prior_[e] = (shorter - candidate) / static_cast<double>(count() - 1);
        }
        for (std::size_t lane = 0; lane < lanes; ++lane) std::copy(prior_.begin(), prior_.end(), weights(lane));
    }

    Options options;
    std::vector<double> mixture;  // lanes × experts
    std::vector<double> better;   // for each model and each memory: how much better the memory was, at least 0
    std::vector<uint64_t> ages;   // rounds since the start of each lane's own models, and of each memory
    double short_error = 0, long_error = 0, long_square = 0;  // running means of the errors of the last lane
    uint64_t rounds = 0, last_alarm = 0, changes = 0;         // changes: how often the models of lanes were replaced

    std::size_t count() const { return options.half_lives.size(); }
    std::size_t experts() const { return own_ + count(); }
    double* weights(std::size_t lane) { return mixture.data() + lane * experts(); }
    const double* weights(std::size_t lane) const { return mixture.data() + lane * experts(); }

    // Learns from a round. forecasts: lanes × experts. models: the models of all lanes, then the memories. importance:
    // the weight in each lane; a lane with weight 0 uses no memory and is never replaced. age: the number of rounds
    // that were learned since the decision. If the cost is late, a lane with labels uses no memory either: memories
    // forecast well what was played, but have not seen the other actions fail.
    void add(double cost, uint64_t age, const double* forecasts, LaneModels& models, const float* importance) {
        const bool late = is_late(age, rounds++);
        losses_.resize(mixture.size());
        double mixed = 0;  // the error of the last lane
        for (std::size_t lane = 0; lane < lanes_; ++lane) {
            const double* of_lane = forecasts + lane * experts();
            mixed = cost - std::inner_product(of_lane, of_lane + experts(), weights(lane), 0.0);
            for (std::size_t e = 0; e < experts(); ++e) losses_[lane * experts() + e] = loss(cost, of_lane[e]);
            double* of_memories = losses_.data() + lane * experts() + own_;
            if (!tries_candidate()) of_memories[count() - 1] = largest_loss;
            const bool is_last = lane + 1 == lanes_;  // its losses decide whether memories are copied
            if ((importance[lane] == 0 || late) && !is_last) std::fill_n(of_memories, count(), largest_loss);
            mix(lane, loss_of_own(lane, cost, of_lane));
        }
        for (std::size_t model = 0; model < ages.size(); ++model)
            ages[model] += model >= lanes_ || importance[model] > 0;
        if (count() == 0) return;
        copy_the_better(models, importance);
        if (alarm(std::min(mixed * mixed, largest_loss))) start_candidate(models);
    }

    // origins: those of the lanes. The memories stay.
    Memories with_lanes(const std::vector<std::size_t>& origins) const {
        Memories changed(origins.size(), own_, options);
        const auto copy = [&](std::size_t from, std::size_t to) {
            std::copy_n(better.begin() + from * count(), count(), changed.better.begin() + to * count());
            changed.ages[to] = ages[from];
        };
        for (std::size_t lane = 0; lane < origins.size(); ++lane) {
            if (origins[lane] == from_nothing) continue;
            copy(origins[lane], lane);
            std::copy_n(weights(origins[lane]), experts(), changed.weights(lane));
        }
        for (std::size_t memory = 0; memory < count(); ++memory) copy(lanes_ + memory, origins.size() + memory);
        std::tie(changed.short_error, changed.long_error, changed.long_square) =
            std::tie(short_error, long_error, long_square);
        std::tie(changed.rounds, changed.last_alarm, changed.changes) = std::tie(rounds, last_alarm, changes);
        return changed;
    }

    // Whether the candidate learns.
    bool tries_candidate() const { return count() == 0 || (last_alarm > 0 && ages.back() < trial); }

    // The number of rounds behind the forecasts of a lane.
    double memory(std::size_t lane) const {
        double sum = 0;
        for (std::size_t e = 0; e < experts(); ++e) {
            sum += weights(lane)[e] * (e < own_ ? static_cast<double>(ages[lane]) : remembered(e - own_));
        }
        return sum;
    }

private:
    static constexpr double largest_loss = 4;
    static constexpr double ln_2 = 0.6931471805599453;
    static constexpr double short_span = 25, long_span = 400, surely = 3;
    static constexpr uint64_t pause = 50;    // rounds between two alarms
    static constexpr uint64_t trial = 1000;  // the longest life of a candidate, in rounds

    std::size_t lanes_, own_;
    std::vector<double> prior_, losses_, together_;

    // The number of rounds behind a memory.
    double remembered(std::size_t memory) const {
        const auto age = static_cast<double>(ages[lanes_ + memory]);
        return options.half_lives[memory] > 0 ? std::min(age, options.half_lives[memory] / ln_2) : age;
    }

    static double loss(double cost, double forecast) {
        const double error = cost - std::clamp(forecast, -0.5, 1.5);
        return std::min(error * error, largest_loss);
    }

    // The forecast of the mixture of a lane's own models.
    double loss_of_own(std::size_t lane, double cost, const double* forecasts) const {
        const double* weight = weights(lane);
        return loss(cost, std::inner_product(weight, weight + own_, forecasts, 0.0) /
                              std::accumulate(weight, weight + own_, 0.0));
    }

    // Multiplies the first `count` weights by exp(−rate·loss), with the sum `total`. Each keeps a share of its first
    // weight.
    void shift(double* weight, const double* losses, std::size_t count, double total, double rate) const {
        const double at_first = std::accumulate(prior_.data(), prior_.data() + count, 0.0);
        double sum = 0;
        for (std::size_t e = 0; e < count; ++e) sum += weight[e] *= std::exp(-rate * losses[e]);
        for (std::size_t e = 0; e < count; ++e) {
            // 0: all losses are too large for a double
            const double kept = sum > 0 ? (1 - options.share) * weight[e] / sum : 0;
            weight[e] = total * (kept + (sum > 0 ? options.share : 1) * prior_[e] / at_first);
        }
    }

    void mix(std::size_t lane, double loss_of_own) {
        const double* losses = losses_.data() + lane * experts();
        shift(weights(lane), losses, own_, std::accumulate(weights(lane), weights(lane) + own_, 0.0),
              options.size_rate);
        together_.assign(losses, losses + experts());
        std::fill_n(together_.begin(), own_, loss_of_own);
        shift(weights(lane), together_.data(), experts(), 1.0, options.rate);
    }

    bool alarm(double error) {
        const auto n = static_cast<double>(rounds);
        const double deviation = std::sqrt(std::max(long_square - long_error * long_error, 1e-12));
        short_error += std::max(1 / short_span, 1 / n) * (error - short_error);
        const bool due = rounds > last_alarm + pause;
        const bool raised = due && short_error > long_error + surely * deviation / std::sqrt(2 * short_span - 1);
        long_error += std::max(1 / long_span, 1 / n) * (error - long_error);
        long_square += std::max(1 / long_span, 1 / n) * (error * error - long_square);
        return raised;
    }

    void start_candidate(LaneModels& models) {
        last_alarm = rounds;
        models.restart(lanes_ + count() - 1);
        ages.back() = 0;
        for (std::size_t model = 0; model < lanes_ + count(); ++model) better[model * count() + count() - 1] = 0;
        for (std::size_t lane = 0; lane < lanes_; ++lane) {
            double* weight = weights(lane);
            weight[experts() - 1] = prior_.back();
            const double sum = std::accumulate(weight, weight + experts(), 0.0);
            for (std::size_t e = 0; e < experts(); ++e) weight[e] /= sum;
        }
    }

    void copy_the_better(LaneModels& models, const float* importance) {
        const double enough = std::log(static_cast<double>(rounds + 1)) + options.patience;
        const double* of_memories = losses_.data() + (lanes_ - 1) * experts() + own_;
        // The last lane has no labels. If it is outdated, so are all other lanes that learn from rounds.
        for (std::size_t model = lanes_ - 1; model < lanes_ + count(); ++model) {
            const bool is_lane = model < lanes_;
            const double loss = is_lane ? losses_[model * experts() + own_ - 1] : of_memories[model - lanes_];
            for (std::size_t memory = is_lane ? 0 : model - lanes_ + 1; memory < count(); ++memory) {
                double& sum = better[model * count() + memory];
                sum = std::max(0.0, sum + options.rate * (loss - of_memories[memory]));
                if (sum <= enough) continue;
                for (std::size_t to = is_lane ? 0 : model; to <= model; ++to) {
                    if (is_lane && importance[to] == 0) continue;
                    models.copy(lanes_ + memory, to);
                    ages[to] = static_cast<uint64_t>(remembered(memory));
                }
                std::fill_n(better.begin() + model * count(), count(), 0.0);
                changes += is_lane;
                break;
            }
        }
    }
};

}  // namespace warmcb
