// Least squares for every action and lane, exact after each example: no learning rate, no horizon.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "factor.hpp"
#include "kernels.hpp"
#include "standardiser.hpp"
#include "zeroed.hpp"

namespace warmcb {

// Minimises for each action and lane Σ h·(w·φ − cost)² + ridge·|w − w₀|², w₀ being the first guess and else nothing.
//
// φ = (1, z, z²/2): the intercept, the standardised features, and the squares of those that have shown three values or
// more. Up to `widest` terms are one block, solved exactly. Beyond, rows are taken as they are, without centre and
// squares, and terms hang together in blocks only.
//
// All actions share one factor as long as they have seen the same contexts, as they do in a warm start; an action gets
// its own when it is taught alone.
class RecursiveLeastSquares {
public:
    // An example teaches what it says, however it was drawn: its propensity is no part of its weight.
    static constexpr bool weighs_by_propensity = false;
    static constexpr float first_guess = 0.5f;
    static constexpr float ridge = 10.0f;

    RecursiveLeastSquares(std::size_t features, std::size_t actions, std::size_t lanes, std::size_t widest,
                          std::size_t block_size, bool squares, const Kernels& kernels)
        : features(features), inputs(features + 1), actions(actions), lanes(lanes), widest(widest),
          block(inputs <= widest ? 0 : block_size), squares(squares), weights(most_terms() * actions * lanes),
          standardiser(features, is_whole()), ridges(inputs, ridge), kernels_(kernels) {
        shared = std::make_unique<Factor>(inputs, lanes, is_whole() ? one_block : block_size, 1 / ridge);
        own.resize(actions);
        std::fill_n(weights.data(), actions * lanes, first_guess);
        make_room();
    }

    const std::size_t features, inputs, actions, lanes, widest, block;  // inputs: of a row; block 0: one for all terms
    const bool squares;
    Zeroed<float> weights;  // terms × actions × lanes
    Standardiser standardiser;
    std::vector<uint32_t> squared;  // the features whose squares are the terms behind the features
    std::vector<double> ridges;     // what of the ridge each term has, in today's coordinates
    std::unique_ptr<Factor> shared;
    std::vector<std::unique_ptr<Factor>> own;  // for each action; null: the shared one

    bool is_whole() const { return block == 0; }
    std::size_t terms() const { return inputs + squared.size(); }  // of φ
    std::size_t most_terms() const { return squares && is_whole() ? std::min(widest, inputs + features) : inputs; }

    void predict(Row row, float* scores) const {
        kernels_.predict(expand(row), weights.data(), actions * lanes, weights.bytes() > cached_bytes, scores);
    }

    void greedy(const float* scores, int32_t* best) const { kernels_.greedy(scores, actions, lanes, best); }

    // What an action cost. The scores are predicted anew: seeing the row may have changed the coordinates.
    void update(Row row, std::size_t action, double cost, const float* importance, const float*) {
        if (!own[action]) own[action] = std::make_unique<Factor>(*shared);
        see(row);
        const Row phi = expand(row);
        spread(phi);
        learn_alone(phi, action, static_cast<float>(cost), importance);
        sweep(phi);
    }

    // What every action cost.
    template <class CostOf> void teach(Row row, CostOf&& cost_of, const float* importance) {
        see(row);
        learn_all(expand(row), cost_of, importance);
    }

    // A term more, of no weight yet.
    void add_square(std::size_t feature) {
        squared.push_back(static_cast<uint32_t>(feature));
        ridges.push_back(ridge);
        for_factors([&](Factor& factor) { factor.grow(1 / ridge); });
        make_room();
    }

private:
    static constexpr std::size_t one_block = std::size_t(1) << 20;  // more than terms ever are
    static constexpr double far = 1000;

    const Kernels& kernels_;
    std::vector<float> dense_, gain_, residual_;  // φ as the factors want it; what a residual adds to each weight
    std::vector<uint32_t> touched_;  // the blocks of a row's terms

    // A row's features, and its terms that are not 0. Of the thread, so that predicting changes nothing.
    struct Expansion {
        std::vector<float> x, value;
        std::vector<uint32_t> index;
    };
    static Expansion& expansion() {
        static thread_local Expansion of_this_thread;
        return of_this_thread;
    }

    void make_room() {
        dense_.resize(terms());
        gain_.resize(terms() * lanes);
        residual_.resize(actions * lanes);
    }

    float* weight(std::size_t term, std::size_t action) { return weights.data() + (term * actions + action) * lanes; }

    static Row without_intercept(Row row) { return {row.index, row.value, row.size - 1}; }

    // All features of a row, zeros too; valid until the next row of this thread.
    float* spell_out(Row row) const {
        std::vector<float>& x = expansion().x;
        x.assign(features, 0.0f);
        for (std::size_t k = 0; k < row.size; ++k) x[row.index[k]] = row.value[k];
        return x.data();
    }

    // The terms of a row that are not 0; valid until the next row of this thread.
    Row expand(Row row) const {
        auto& [x, value, index] = expansion();
        index.clear();
        value.clear();
        const auto add = [&](std::size_t term, float of_term) {
            if (of_term == 0) return;
            index.push_back(static_cast<uint32_t>(term));
            value.push_back(of_term);
        };
        add(0, 1.0f);
        row = without_intercept(row);
        if (is_whole()) {
            float* z = spell_out(row);
            for (std::size_t j = 0; j < features; ++j) z[j] = standardiser.z(j, z[j]);
            for (std::size_t j = 0; j < features; ++j) add(1 + j, z[j]);
            for (std::size_t s = 0; s < squared.size(); ++s) add(inputs + s, z[squared[s]] * z[squared[s]] / 2);
        } else {
            for (std::size_t k = 0; k < row.size; ++k) add(1 + row.index[k], standardiser.z(row.index[k], row.value[k]));
        }
        return {index.data(), value.data(), index.size()};
    }

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
            kernels_.predict(phi, weights.data(), actions * lanes, false, residual_.data());
            for (std::size_t a = 0; a < actions; ++a)
                for (std::size_t lane = 0; lane < lanes; ++lane) {
                    float& residual = residual_[a * lanes + lane];
                    residual = own[a] ? 0.0f : static_cast<float>(cost_of(a)) - residual;
                }
            shared->absorb(dense_.data(), touched_, importance, kernels_, gain_.data());
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
        own[action]->absorb(dense_.data(), touched_, importance, kernels_, gain_.data());
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
        row = without_intercept(row);
        const bool renews = is_whole() ? standardiser.see(spell_out(row)) : standardiser.see(row);
        if (!renews) return;
        Standardiser::Change change = standardiser.renew();
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
            const std::size_t feature = squared[term - inputs];
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
        for (std::size_t j = 0; j < features; ++j) diagonal[1 + j] = 1 / change.a[j];
        for (std::size_t s = 0; s < squared.size(); ++s)
            diagonal[inputs + s] = 1 / (change.a[squared[s]] * change.a[squared[s]]);
        for_factors([&](Factor& factor) {
            factor.change([&](float* v, std::size_t first, std::size_t count) { change_weights(change, v, first, count, lanes); },
                          diagonal);
        });
        for (std::size_t term = 0; term < terms(); ++term) ridges[term] /= diagonal[term] * diagonal[term];
    }

    // In a unit that was far too large a feature has a ridge that is far too strong for the examples there are; far too
    // small, its weights would be lost in rounding. It starts anew.
    void start_anew(Standardiser::Change& change) {
        const double too_strong = std::max(4.0 * ridge, static_cast<double>(standardiser.seen) / 8);
        for (std::size_t j = 0; j < features; ++j) {
            double &a = change.a[j], &b = change.b[j];
            if (ridges[1 + j] * a * a <= too_strong && a > 1 / far && a < far && std::fabs(b) < far) continue;
            a = 1;
            b = 0;
            forget(1 + j);
            const auto square = std::find(squared.begin(), squared.end(), j);
            if (square != squared.end()) forget(inputs + static_cast<std::size_t>(square - squared.begin()));
        }
    }

    void forget(std::size_t term) {
        std::fill_n(weight(term, 0), actions * lanes, 0.0f);
        for_factors([&](Factor& factor) { factor.forget(term, 1 / ridge); });
        ridges[term] = ridge;
    }

    // A feature of two values has no use for a square: it is a line through two points.
    void add_squares() {
        for (std::size_t j = 0; j < features; ++j) {
            if (terms() >= most_terms() || !standardiser.varied[j]) continue;
            if (std::find(squared.begin(), squared.end(), j) == squared.end()) add_square(j);
        }
    }

    // A deviation that was thought too small has made the ridge too weak. What is missing comes as examples of «nothing».
    void top_up_ridges() {
        std::vector<float> importance(lanes);
        for (std::size_t term = 1; term < terms(); ++term) {
            if (ridges[term] >= 0.9 * ridge) continue;
            std::fill(importance.begin(), importance.end(), static_cast<float>(ridge - ridges[term]));
            ridges[term] = ridge;
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
