// A mixture of least squares that learns no more.
#pragma once

#include "contracts.hpp"
#include "terms.hpp"

namespace warmcb {

// The weights of one set of models: terms × actions × lanes.
struct Weights {
    const float* values;
    std::size_t terms, lanes;
};

// How forecasts of plain and bent models are mixed for each lane: its plain model, its bent one, and the memories, which are
// further lanes of the bent models, or of the plain ones if there are no others.
struct Mixture {
    bool bends;
    std::size_t lanes, experts;
    const double* weights;  // lanes × experts

    float expert(const float* plain, const float* bent, std::size_t lane, std::size_t e) const {
        if (e == 0) return plain[lane];
        if (!bends) return plain[lanes + e - 1];
        return e == 1 ? bent[lane] : bent[lanes + e - 2];
    }
    float mixed(const float* plain, const float* bent, std::size_t lane) const {
        double sum = 0;
        for (std::size_t e = 0; e < experts; ++e)
            sum += weights[lane * experts + e] * static_cast<double>(expert(plain, bent, lane, e));
        return static_cast<float>(sum);
    }

    // What each lane scores each action.
    void predict(const Kernels& kernels, Row phi, bool whole, std::size_t actions, const Weights& of_plain, const Weights& of_bent,
                 float* scores) const {
        static thread_local std::vector<float> said_plain, said_bent;
        const auto say = [&](const Weights& models, std::vector<float>& said) {
            const std::size_t columns = actions * models.lanes;
            said.resize(columns);
            const Row row = whole ? Row{phi.index, phi.value, models.terms} : phi;
            kernels.predict(row, models.values, columns, models.terms * columns * sizeof(float) > cached_bytes, said.data());
        };
        say(of_plain, said_plain);
        if (bends) say(of_bent, said_bent);
        for (std::size_t a = 0; a < actions; ++a) {
            const float *plain = said_plain.data() + a * of_plain.lanes, *bent = said_bent.data() + a * of_bent.lanes;
            for (std::size_t lane = 0; lane < lanes; ++lane) scores[a * lanes + lane] = mixed(plain, bent, lane);
        }
    }
};

class MixedModel : public Predictor {
public:
    MixedModel(Terms of_rows, std::size_t actions, std::size_t lanes, std::vector<float> of_plain, std::vector<float> of_bent,
               std::vector<double> of_mixture, std::vector<double> of_lanes, const Kernels& kernels)
        : Predictor(of_rows.features, actions, lanes, kernels), terms(std::move(of_rows)), plain(std::move(of_plain)),
          bent(std::move(of_bent)), mixture(std::move(of_mixture)), memories(std::move(of_lanes)) {}

    Terms terms;
    std::vector<float> plain, bent;  // terms × actions × lanes
    std::vector<double> mixture;     // lanes × experts
    std::vector<double> memories;    // for each lane how many rounds it rests on

    double memory(std::size_t lane) const override { return memories[lane]; }

    void predict(Row row, float* scores) const override {
        const bool bends = !bent.empty();
        const Mixture how{bends, lanes, mixture.size() / lanes, mixture.data()};
        const std::size_t plain_lanes = plain.size() / (terms.plain() * actions);
        how.predict(kernels, terms.expand(row, true), terms.whole, actions, {plain.data(), terms.plain(), plain_lanes},
                    {bent.data(), terms.size(), bent.size() / (terms.size() * actions)}, scores);
    }
};

}  // namespace warmcb
