// The terms of a row, in which the least-squares models are linear.
#pragma once

#include <iterator>

#include "data/explain.hpp"
#include "least_squares/feature_units.hpp"
#include "data/philox.hpp"

namespace warmcb {

// Vectors of terms are padded with zeros to whole registers.
constexpr std::size_t tile = 16;
inline std::size_t padded(std::size_t terms) { return (terms + tile - 1) / tile * tile; }

// A bend: √2·cos(w·s + b) for the normal scores s of one, two or three features. Bends are the same for all bandits.
struct Bend {
    uint32_t features[3];
    float weights[3];  // 0: no feature
    float phase;       // in turns, as are the weights
};

// With few features, examples are close together, and bends can be finer. No bend uses only features of the context
// (the first `contexts`), as these are the same for all actions.
inline std::vector<Bend> draw_bends(std::size_t count, std::size_t features, std::size_t contexts) {
    constexpr double shortest = 1, turn = 6.283185307179586;
    const double longest = 4 * std::max(1.0, std::sqrt(8.0 / static_cast<double>(std::max<std::size_t>(features, 1))));
    const Stream random{20190613, 1};
    uint64_t draws = 0;
    const auto uniform = [&] { return random.uniform(draws++); };
    std::vector<Bend> bends(count);
    for (std::size_t i = 0; i < count; ++i) {
        Bend& bend = bends[i];
        bend = {};
        const std::size_t size = std::min(1 + i % 3, features);
        double weights[3], squares = 0;
        for (std::size_t k = 0; k < size; ++k) {
            const std::size_t first = k == 0 ? contexts : 0;
            do bend.features[k] = static_cast<uint32_t>(first + uniform() * static_cast<double>(features - first));
            while (std::find(bend.features, bend.features + k, bend.features[k]) != bend.features + k);
            weights[k] = normal_quantile(std::max(uniform(), 1e-12));
            squares += weights[k] * weights[k];
        }
        const double length = shortest * std::pow(longest / shortest, uniform()) / turn;
        for (std::size_t k = 0; k < size; ++k)
            bend.weights[k] = static_cast<float>(weights[k] * length / std::sqrt(squares));
        bend.phase = static_cast<float>(uniform());
    }
    return bends;
}

// √2·cos of an angle in turns: a polynomial, so that every machine computes the same bits.
inline float root_two_cosine(float turns) {
    // 1.5·2²³: a sum with it is rounded to whole turns, faster than by floor
    constexpr float no_fraction = 12582912.0f;
    const float r = turns - ((turns + no_fraction) - no_fraction), x = r * r;  // |r| ≤ ½
    float sum = cosine_coefficients[0];
    for (std::size_t i = 1; i < std::size(cosine_coefficients); ++i) sum = sum * x + cosine_coefficients[i];
    return 1.41421356f * sum;
}

// The predictions of a model of the labels: for each action the expected cost, in units of its standard deviation. They
// are terms like any others, so labels that are consistently wrong are useful as well.
struct Translator {
    // terms × actions; for each action 1/deviation, or 0 if labels do not inform about it
    std::vector<float> weights, inverse;

    bool speaks() const { return !weights.empty(); }
};

// (1 | z | z²/2 | crossings | translations | bends | products of translations with features).
//
// `whole`: all features are centred, and zeros are included. Wide rows are only scaled: (1 | z | crossings). If a row
// describes an action, the first features are those of the context; crossings are their products with the features of
// the action.
struct Terms {
    std::size_t features, contexts;
    bool crosses, whole;
    FeatureUnits units;
    std::vector<uint32_t> squared;  // the features whose squares are terms
    std::size_t translations = 0, products = 0;
    std::vector<Bend> bends;
    Translator translator;

    std::size_t crossings() const { return crosses ? contexts * (features - contexts) : 0; }
    std::size_t plain() const { return 1 + features + squared.size(); }
    std::size_t base() const { return plain() + crossings(); }
    std::size_t size() const { return base() + translations + bends.size() + products; }

    // The number of terms of each nested model. A model with only a constant is used for wide rows only: it predicts
    // the cost of a good policy well, but does not say what to play.
    std::vector<std::size_t> sizes() const {
        if (!whole) return {1, size()};
        std::vector<std::size_t> ends{1 + features, plain(), base(), base() + translations, size()};
        ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
        return ends;
    }

    // The terms of a row, padded to whole registers; for wide rows those that are not 0. Valid until the next row of
    // this thread.
    Row expand(Row row, bool translate) const {
        row = without_intercept(row);
        Row terms = whole ? expand_whole(row, translate) : expand_wide(row);
        terms.identity = row.identity;
        return terms;
    }

    // The sources of a term.
    std::vector<int64_t> sources(std::size_t term) const {
        const auto feature = [](std::size_t j) { return static_cast<int64_t>(j); };
        if (term == 0) return {};
        if (term <= features) return {feature(term - 1)};
        if (term < plain()) return {feature(squared[term - 1 - features])};
        if (term < base()) {
            const std::size_t pair = term - plain(), of_actions = features - contexts;
            return {feature(pair / of_actions), feature(contexts + pair % of_actions)};
        }
        if (term < base() + translations) return {of_labels};
        const std::size_t i = term - base() - translations;
        if (i >= bends.size()) return {of_labels, feature((i - bends.size()) / translations)};
        std::vector<int64_t> bent;
        for (int k = 0; k < 3; ++k)
            if (bends[i].weights[k] != 0) bent.push_back(bends[i].features[k]);
        return bent;
    }

    // All features of a row, with zeros. Valid until the next row of this thread.
    float* spell_out(Row row) const {
        expansion().x.assign(features, 0.0f);
        float* x = expansion().x.data();
        for (std::size_t k = 0; k < row.size; ++k) x[row.index[k]] = row.value[k];
        return x;
    }

    bool translates() const { return translations > 0 && translator.speaks(); }

    // The number of the term for a product of a feature of the context and one of the action.
    std::size_t crossing(std::size_t of_context, std::size_t of_action) const {
        return plain() + of_context * (features - contexts) + of_action - contexts;
    }

    static Row without_intercept(Row row) { return {row.index, row.value, row.size - 1, row.identity}; }

private:
    struct Expansion {
        std::vector<float> x, scores, value;
        std::vector<uint32_t> index, all;  // the terms that are not 0; and 0, 1, 2, …
    };
    // Each thread has its own, so that predicting does not change the model.
    static Expansion& expansion() {
        static thread_local Expansion of_this_thread;
        return of_this_thread;
    }

    Row expand_wide(Row row) const {
        Expansion& room = expansion();
        std::size_t of_context = 0;
        while (of_context < row.size && row.index[of_context] < contexts) ++of_context;
        const std::size_t room_for = 1 + row.size + (crosses ? of_context * (row.size - of_context) : 0);
        room.index.resize(room_for);
        room.value.resize(room_for);
        room.index[0] = 0;
        room.value[0] = 1;
        std::size_t count = 1;
        for (std::size_t k = 0; k < row.size; ++k) {
            room.index[count] = 1 + row.index[k];
            room.value[count] = units.z(row.index[k], row.value[k]);
            count += room.value[count] != 0;
        }
        const std::size_t plain_count = count;
        for (std::size_t i = 1; crosses && i < plain_count && room.index[i] <= contexts; ++i)
            for (std::size_t j = plain_count; j-- > i && room.index[j] > contexts;) {
                room.index[count] = static_cast<uint32_t>(crossing(room.index[i] - 1, room.index[j] - 1));
                room.value[count++] = room.value[i] * room.value[j];
            }
        return {room.index.data(), room.value.data(), count};
    }

    Row expand_whole(Row row, bool translate) const {
        Expansion& room = expansion();
        const float* x = spell_out(row);
        while (room.all.size() < size()) room.all.push_back(static_cast<uint32_t>(room.all.size()));
        room.value.resize(padded(size()));
        float* value = room.value.data();
        std::fill(value + base(), value + room.value.size(), 0.0f);
        value[0] = 1;
        for (std::size_t j = 0; j < features; ++j) value[1 + j] = units.z(j, x[j]);
        float* square = value + 1 + features;
        for (const uint32_t j : squared) *square++ = value[1 + j] * value[1 + j] / 2;
        if (crosses) {
            const float *of_action = value + 1 + contexts, *end = value + 1 + features;
            float* crossed = value + plain();
            for (std::size_t i = 0; i < contexts; ++i)
                for (const float* z = of_action; z < end; ++z) *crossed++ = value[1 + i] * *z;
        }
        if (translations + bends.size() == 0) return {room.all.data(), value, size()};
        room.scores.resize(features);
        for (std::size_t j = 0; j < features; ++j) room.scores[j] = units.score(j, x[j]);
        if (translate && translates()) this->translate(room.scores.data(), value);
        float* bent = value + base() + translations;
        for (std::size_t i = 0; i < bends.size(); ++i) {
            float angle = bends[i].phase;
            for (int k = 0; k < 3; ++k) angle += bends[i].weights[k] * room.scores[bends[i].features[k]];
            bent[i] = angle;
        }
        for (std::size_t i = 0; i < bends.size(); ++i) bent[i] = root_two_cosine(bent[i]);
        return {room.all.data(), value, size()};
    }

    void translate(const float* scores, float* value) const {
        float* said = value + base();
        for (std::size_t t = 1; t < base(); ++t)
            for (std::size_t a = 0; a < translations; ++a)
                said[a] += value[t] * translator.weights[t * translations + a];
        for (std::size_t a = 0; a < translations; ++a)
            said[a] = std::clamp(said[a] * translator.inverse[a], -5.0f, 5.0f);
        float* multiplied = value + size() - products;
        for (std::size_t i = 0; i < products; ++i) multiplied[i] = said[i % translations] * scores[i / translations];
    }
};

}  // namespace warmcb
