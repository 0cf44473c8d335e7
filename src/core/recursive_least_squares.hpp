// Least squares for every action and lane, exact after each example: no learning rate, no horizon.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "factor.hpp"
#include "standardised_model.hpp"

namespace warmcb {

// Minimises for each action and lane Σ h·(w·φ − cost)² + ridge·|w − w₀|², w₀ being the first guess and else nothing.
//
// φ = (1, z, z²/2): the intercept, the standardised features, and the squares of those that have shown three values or
// more. Up to `widest` terms are one block, solved exactly. Beyond, rows are taken as they are, without centre and
// squares, and terms hang together in blocks only.
//
// All actions share one factor as long as they have seen the same contexts, as they do in a warm start; an action gets
// its own when it is taught alone.
class RecursiveLeastSquares : public WarmLearner {
public:
    struct Options {
        std::size_t widest, block;  // the most terms of one block, and the size of blocks beyond
        bool squares;
        double ridge, first_guess;
        Standardiser::Options units;
    };

    RecursiveLeastSquares(std::size_t features, std::size_t actions, std::size_t lanes, Options options,
                          const Kernels& kernels)
        : WarmLearner(features, actions, lanes, kernels), block(inputs <= options.widest ? 0 : options.block),
          options(options), weights(most_terms() * actions * lanes),
          map{features, is_whole(), Standardiser(features, is_whole(), options.units), {}},
          ridges(inputs, options.ridge), ridge_(static_cast<float>(options.ridge)) {
        shared = std::make_unique<Factor>(fresh_factor());
        own.resize(actions);
        std::fill_n(weights.data(), actions * lanes, static_cast<float>(options.first_guess));
        make_room();
    }

    const std::size_t block;  // 0: one for all terms
    const Options options;
    Zeroed<float> weights;  // terms × actions × lanes
    FeatureMap map;
    std::vector<double> ridges;  // what of the ridge each term has, in today's coordinates
    std::unique_ptr<Factor> shared;
    std::vector<std::unique_ptr<Factor>> own;  // for each action; null: the shared one

    bool is_whole() const { return block == 0; }
    std::size_t features() const { return inputs - 1; }
    std::size_t terms() const { return map.size(); }  // of φ
    std::size_t most_terms() const {
        return options.squares && is_whole() ? std::min(options.widest, inputs + features()) : inputs;
    }
    Standardiser& standardiser() { return map.standardiser; }
    const Standardiser& standardiser() const { return map.standardiser; }
    const std::vector<uint32_t>& squared() const { return map.squared; }

    // An example teaches what it says, however it was drawn.
    bool weighs_by_propensity() const override { return false; }

    void predict(Row row, float* scores) const override {
        predict_linear(kernels, map.expand(row), weights, actions * lanes, scores);
    }

    // The scores are predicted anew: seeing the row may have changed the coordinates.
    void update(Row row, const Outcome& outcome, const float* importance) override {
        make_own(outcome.action);
        see(row);
        const Row phi = map.expand(row);
        spread(phi);
        learn_alone(phi, outcome.action, static_cast<float>(outcome.cost), importance);
        sweep(phi);
    }

    // As long as all actions are judged, they share what they know of contexts.
    void teach(Row row, const double* costs, const float* importance) override {
        see(row);
        const Row phi = map.expand(row);
        if (std::none_of(costs, costs + actions, [](double cost) { return std::isnan(cost); })) {
            learn_all(phi, [&](std::size_t action) { return costs[action]; }, importance);
            return;
        }
        spread(phi);
        for (std::size_t a = 0; a < actions; ++a)
            if (!std::isnan(costs[a])) {
                make_own(a);
                learn_alone(phi, a, static_cast<float>(costs[a]), importance);
            }
        sweep(phi);
    }

    // It knows the features' units, and nothing else: what others learned of contexts would only make it slow to learn.
    void add_action() override {
        weights = with_one_action_more(weights, most_terms(), actions, lanes);
        own.push_back(std::make_unique<Factor>(fresh_factor()));
        ++actions;
        std::fill_n(weight(0, actions - 1), lanes, static_cast<float>(options.first_guess));
        make_room();
    }

    std::unique_ptr<Predictor> snapshot() const override {
        return std::make_unique<StandardisedModel>(map, actions, lanes, weights.data(), kernels);
    }

    // A term more, of no weight yet.
    void add_square(std::size_t feature) {
        map.squared.push_back(static_cast<uint32_t>(feature));
        ridges.push_back(options.ridge);
        for_factors([&](Factor& factor) { factor.grow(1 / ridge_); });
        make_room();
    }

private:
    static constexpr std::size_t one_block = std::size_t(1) << 20;  // more than terms ever are
    static constexpr double far = 1000;

    float ridge_;
    std::vector<float> dense_, gain_, residual_;  // φ as the factors want it; what a residual adds to each weight
    std::vector<uint32_t> touched_;  // the blocks of a row's terms

    Factor fresh_factor() const { return Factor(terms(), lanes, is_whole() ? one_block : block, 1 / ridge_); }

    void make_own(std::size_t action) {
        if (!own[action]) own[action] = std::make_unique<Factor>(*shared);
    }

    void make_room() {
        dense_.resize(terms());
        gain_.resize(terms() * lanes);
        residual_.resize(actions * lanes);
    }

    float* weight(std::size_t term, std::size_t action) { return weights.data() + (term * actions + action) * lanes; }

    // φ as the factors want it, until sweep() clears it away.
    void spread(Row phi) {
        touched_.clear();
        for (std::size_t k = 0; k < phi.size; ++k) {
            dense_[phi.index[k]] = phi.value[k];
            touched_.push_back(is_whole() ? 0 : static_cast<uint32_t>(phi.index[k] / block));
        }
        if (!std::is_sorted(touched_.begin(), touched_.end())) std::sort(touched_.begin(), touched_.end());
        touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
    }
    void sweep(Row phi) {
        for (std::size_t k = 0; k < phi.size; ++k) dense_[phi.index[k]] = 0;
    }

    template <class CostOf> void learn_all(Row phi, CostOf&& cost_of, const float* importance) {
        spread(phi);
        const bool any_shared = std::any_of(own.begin(), own.end(), [](const auto& factor) { return !factor; });
        if (any_shared) {
            kernels.predict(phi, weights.data(), actions * lanes, false, residual_.data());
            for (std::size_t a = 0; a < actions; ++a)
                for (std::size_t lane = 0; lane < lanes; ++lane) {
                    float& residual = residual_[a * lanes + lane];
                    residual = own[a] ? 0.0f : static_cast<float>(cost_of(a)) - residual;
                }
            shared->absorb(dense_.data(), touched_, importance, kernels, gain_.data());
            for_touched([&](std::size_t term) {
                for (std::size_t a = 0; a < actions; ++a)
                    for (std::size_t lane = 0; lane < lanes; ++lane)
                        weight(term, a)[lane] += gain_[term * lanes + lane] * residual_[a * lanes + lane];
            });
        }
        for (std::size_t a = 0; a < actions; ++a)
            if (own[a]) learn_alone(phi, a, static_cast<float>(cost_of(a)), importance);
        sweep(phi);
    }

    void learn_alone(Row phi, std::size_t action, float cost, const float* importance) {
        for (std::size_t lane = 0; lane < lanes; ++lane) residual_[lane] = cost;
        for (std::size_t k = 0; k < phi.size; ++k)
            for (std::size_t lane = 0; lane < lanes; ++lane)
                residual_[lane] -= phi.value[k] * weight(phi.index[k], action)[lane];
        own[action]->absorb(dense_.data(), touched_, importance, kernels, gain_.data());
        for_touched([&](std::size_t term) {
            for (std::size_t lane = 0; lane < lanes; ++lane)
                weight(term, action)[lane] += gain_[term * lanes + lane] * residual_[lane];
        });
    }

    template <class Each> void for_touched(Each&& each) {
        for (const uint32_t k : touched_) {
            const std::size_t first = is_whole() ? 0 : k * block, size = is_whole() ? terms() : block;
            for (std::size_t term = first; term < std::min(first + size, terms()); ++term) each(term);
        }
    }

    void see(Row row) {
        row = FeatureMap::without_intercept(row);
        const bool renews = is_whole() ? standardiser().see(map.spell_out(row)) : standardiser().see(row);
        if (!renews) return;
        Standardiser::Change change = standardiser().renew();
        start_anew(change);
        change_coordinates(change);
        if (is_whole()) add_squares();
        top_up_ridges();
    }

    // z' = a·z + b makes of (1, z, z²/2) other terms, and w·φ = w'·φ' other weights. Terms first … first+count−1 of v,
    // each `width` numbers.
    void change_weights(const Standardiser::Change& change, float* v, std::size_t first, std::size_t count,
                        std::size_t width) const {
        const std::size_t end = first + count;
        const auto at = [&](std::size_t term) { return v + (term - first) * width; };
        const auto add = [&](std::size_t to, double factor, std::size_t from) {
            for (std::size_t c = 0; factor != 0 && c < width; ++c) at(to)[c] += static_cast<float>(factor * at(from)[c]);
        };
        const auto scale = [&](std::size_t term, double factor) {
            for (std::size_t c = 0; c < width; ++c) at(term)[c] = static_cast<float>(factor * at(term)[c]);
        };
        for (std::size_t term = std::max<std::size_t>(first, 1); term < std::min(end, inputs); ++term)
            scale(term, 1 / change.a[term - 1]);
        for (std::size_t term = inputs; term < end; ++term) {
            const std::size_t feature = squared()[term - inputs];
            const double b = change.b[feature];
            scale(term, 1 / (change.a[feature] * change.a[feature]));
            add(1 + feature, -b, term);
            add(0, -b * b / 2, term);
        }
        if (is_whole())
            for (std::size_t term = 1; term < std::min(end, inputs); ++term) add(0, -change.b[term - 1], term);
    }

    void change_coordinates(const Standardiser::Change& change) {
        change_weights(change, weights.data(), 0, terms(), actions * lanes);
        std::vector<double> diagonal(terms(), 1.0);
        for (std::size_t j = 0; j < features(); ++j) diagonal[1 + j] = 1 / change.a[j];
        for (std::size_t s = 0; s < squared().size(); ++s)
            diagonal[inputs + s] = 1 / (change.a[squared()[s]] * change.a[squared()[s]]);
        for_factors([&](Factor& factor) {
            factor.change([&](float* v, std::size_t first, std::size_t count) { change_weights(change, v, first, count, lanes); },
                          diagonal);
        });
        for (std::size_t term = 0; term < terms(); ++term) ridges[term] /= diagonal[term] * diagonal[term];
    }

    // In a unit that was far too large a feature has a ridge that is far too strong for the examples there are; far too
    // small, its weights would be lost in rounding. It starts anew.
    void start_anew(Standardiser::Change& change) {
        const double too_strong = std::max(4.0 * options.ridge, static_cast<double>(standardiser().seen) / 8);
        for (std::size_t j = 0; j < features(); ++j) {
            double &a = change.a[j], &b = change.b[j];
            if (ridges[1 + j] * a * a <= too_strong && a > 1 / far && a < far && std::fabs(b) < far) continue;
            a = 1;
            b = 0;
            forget(1 + j);
            const auto square = std::find(squared().begin(), squared().end(), j);
            if (square != squared().end()) forget(inputs + static_cast<std::size_t>(square - squared().begin()));
        }
    }

    void forget(std::size_t term) {
        std::fill_n(weight(term, 0), actions * lanes, 0.0f);
        for_factors([&](Factor& factor) { factor.forget(term, 1 / ridge_); });
        ridges[term] = options.ridge;
    }

    // A feature of two values has no use for a square: it is a line through two points.
    void add_squares() {
        for (std::size_t j = 0; j < features(); ++j) {
            if (terms() >= most_terms() || !standardiser().varied[j]) continue;
            if (std::find(squared().begin(), squared().end(), j) == squared().end()) add_square(j);
        }
    }

    // A deviation that was thought too small has made the ridge too weak. What is missing comes as examples of «nothing».
    void top_up_ridges() {
        std::vector<float> importance(lanes);
        for (std::size_t term = 1; term < terms(); ++term) {
            if (ridges[term] >= 0.9 * options.ridge) continue;
            std::fill(importance.begin(), importance.end(), static_cast<float>(options.ridge - ridges[term]));
            ridges[term] = options.ridge;
            const auto index = static_cast<uint32_t>(term);
            const float one = 1;
            learn_all({&index, &one, 1}, [](std::size_t) { return 0.0; }, importance.data());
        }
    }

    template <class Each> void for_factors(Each&& each) {
        each(*shared);
        for (const auto& factor : own)
            if (factor) each(*factor);
    }
};

}  // namespace warmcb
