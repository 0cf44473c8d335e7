// The terms that recursive least squares see of a row, and the model that they make.
#pragma once

#include <cstdint>
#include <vector>

#include "linear_model.hpp"
#include "standardiser.hpp"

namespace warmcb {

// φ of a row: the intercept, the standardised features, and half the squares of some.
//
// `whole`: all features are centred, and zeros spelled out. Wide rows are taken as they are, only scaled.
struct FeatureMap {
    std::size_t features;
    bool whole;
    Standardiser standardiser;
    std::vector<uint32_t> squared;  // the features whose squares are the terms behind the features

    std::size_t size() const { return features + 1 + squared.size(); }

    // The terms of a row that are not 0; valid until the next row of this thread.
    Row expand(Row row) const {
        Expansion& room = expansion();
        room.index.resize(size());
        room.value.resize(size());
        uint32_t* index = room.index.data();
        float* value = room.value.data();
        std::size_t count = 0;
        const auto add = [&](std::size_t term, float of_term) {
            index[count] = static_cast<uint32_t>(term);
            value[count] = of_term;
            count += of_term != 0;
        };
        add(0, 1.0f);
        row = without_intercept(row);
        if (whole) {
            float* z = spell_out(row);
            for (std::size_t j = 0; j < features; ++j) z[j] = standardiser.z(j, z[j]);
            for (std::size_t j = 0; j < features; ++j) add(1 + j, z[j]);
            for (std::size_t s = 0; s < squared.size(); ++s) add(features + 1 + s, z[squared[s]] * z[squared[s]] / 2);
        } else {
            for (std::size_t k = 0; k < row.size; ++k) add(1 + row.index[k], standardiser.z(row.index[k], row.value[k]));
        }
        return {index, value, count};
    }

    // All features of a row, zeros too; valid until the next row of this thread.
    float* spell_out(Row row) const {
        expansion().x.assign(features, 0.0f);
        float* x = expansion().x.data();
        for (std::size_t k = 0; k < row.size; ++k) x[row.index[k]] = row.value[k];
        return x;
    }

    static Row without_intercept(Row row) { return {row.index, row.value, row.size - 1}; }

private:
    // A row's features, and its terms that are not 0. Of the thread, so that predicting changes nothing.
    struct Expansion {
        std::vector<float> x, value;
        std::vector<uint32_t> index;
    };
    static Expansion& expansion() {
        static thread_local Expansion of_this_thread;
        return of_this_thread;
    }
};

// A linear model of such terms that learns no more.
class StandardisedModel : public Predictor {
public:
    StandardisedModel(FeatureMap of_rows, std::size_t actions, std::size_t lanes, const float* values, const Kernels& kernels)
        : Predictor(of_rows.features, actions, lanes, kernels), map(std::move(of_rows)),
          weights(map.size() * actions * lanes) {
        std::copy_n(values, map.size() * actions * lanes, weights.data());
    }

    FeatureMap map;
    Zeroed<float> weights;

    void predict(Row row, float* scores) const override {
        predict_linear(kernels, map.expand(row), weights, actions * lanes, scores);
    }
};

}  // namespace warmcb
