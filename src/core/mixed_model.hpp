// A mixture of least squares that learns no more.
#pragma once

#include "contracts.hpp"
#include "identities.hpp"
#include "nested_weights.hpp"
#include "terms.hpp"

namespace warmcb {

// How forecasts are mixed for each lane: those of its own nested models, and those of the memories, which are further lanes
// of the largest model.
struct Mixture {
    std::size_t models, lanes, experts;
    const double* weights;  // lanes × experts

    std::size_t all_lanes() const { return lanes + experts - models; }

    // said: models × all lanes, `stride` from one model to the next.
    float expert(const float* said, std::size_t stride, std::size_t lane, std::size_t e) const {
        return e < models ? said[e * stride + lane] : said[(models - 1) * stride + lanes + e - models];
    }
    float mixed(const float* said, std::size_t stride, std::size_t lane) const {
        double sum = 0;
        for (std::size_t e = 0; e < experts; ++e) sum += weights[lane * experts + e] * static_cast<double>(expert(said, stride, lane, e));
        return static_cast<float>(sum);
    }

    // What each lane scores each action.
    void predict(const Kernels& kernels, Row phi, const NestedWeights& of_models, const Identities& identities, float* scores) const {
        static thread_local std::vector<float> said;
        const std::size_t columns = of_models.actions * of_models.lanes;
        said.resize(models * columns);
        of_models.predict(kernels, phi, said.data());
        if (const auto* one = identities.find(phi.identity))
            for (std::size_t i = 0; i < said.size(); ++i) said[i] += one->effects[i];
        for (std::size_t a = 0; a < of_models.actions; ++a)
            for (std::size_t lane = 0; lane < lanes; ++lane) scores[a * lanes + lane] = mixed(said.data() + a * of_models.lanes, columns, lane);
    }
};

// The same for one regressor and many rows: mixing its weights is cheaper than mixing what it says of each row.
inline void predict_pairs(const Mixture& mixture, const Kernels& kernels, const Terms& terms, const NestedWeights& of_models,
                          const Identities& identities, const Pairs& pairs, float* scores) {
    const std::size_t lanes = mixture.lanes, columns = (lanes + 3) / 4 * 4;  // whole registers
    static thread_local std::vector<float> weights, said;
    weights.assign(terms.size() * columns, 0.0f);
    said.resize(std::max(columns, of_models.lanes * mixture.models));
    for (std::size_t lane = 0; lane < lanes; ++lane)
        for (std::size_t e = 0; e < mixture.experts; ++e) {
            const auto share = static_cast<float>(mixture.weights[lane * mixture.experts + e]);
            const std::size_t model = std::min(e, mixture.models - 1), from = e < mixture.models ? lane : lanes + e - mixture.models;
            const float* weight = of_models.at(model, 0, 0) + from;
            for (std::size_t t = 0; t < of_models.sizes[model]; ++t) weights[t * columns + lane] += share * weight[t * of_models.lanes];
        }
    for (std::size_t k = 0; k < pairs.count; ++k) {
        const Row phi = terms.expand(pairs.row(k), true, k > 0);
        kernels.predict(phi, weights.data(), columns, false, said.data());
        std::copy_n(said.data(), lanes, scores + k * lanes);
        if (const auto* one = identities.find(phi.identity))
            for (std::size_t lane = 0; lane < lanes; ++lane)
                scores[k * lanes + lane] += mixture.mixed(one->effects.data(), of_models.lanes, lane);
    }
}

class MixedModel : public Predictor {
public:
    MixedModel(Terms of_rows, NestedWeights of_models, Identities of_actions, std::vector<double> of_mixture, std::vector<double> of_lanes,
               const Kernels& kernels)
        : Predictor(of_rows.features, of_models.actions, of_lanes.size(), kernels), terms(std::move(of_rows)),
          weights(std::move(of_models)), identities(std::move(of_actions)), mixture(std::move(of_mixture)), memories(std::move(of_lanes)) {}

    Terms terms;
    NestedWeights weights;
    Identities identities;
    std::vector<double> mixture;   // lanes × experts
    std::vector<double> memories;  // for each lane how many rounds it rests on

    double memory(std::size_t lane) const override { return memories[lane]; }

    void predict(Row row, float* scores) const override {
        how().predict(kernels, terms.expand(row, true), weights, identities, scores);
    }
    void predict_pairs(const Pairs& pairs, float* scores) const override {
        warmcb::predict_pairs(how(), kernels, terms, weights, identities, pairs, scores);
    }

private:
    Mixture how() const { return {weights.models(), lanes, mixture.size() / lanes, mixture.data()}; }
};

}  // namespace warmcb
