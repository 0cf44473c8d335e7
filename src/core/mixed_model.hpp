// A mixture of least squares that learns no more.
#pragma once

#include "contracts.hpp"
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
    void predict(const Kernels& kernels, Row phi, const NestedWeights& of_models, float* scores) const {
        static thread_local std::vector<float> said;
        const std::size_t columns = of_models.actions * of_models.lanes;
        said.resize(models * columns);
        of_models.predict(kernels, phi, said.data());
        for (std::size_t a = 0; a < of_models.actions; ++a)
            for (std::size_t lane = 0; lane < lanes; ++lane) scores[a * lanes + lane] = mixed(said.data() + a * of_models.lanes, columns, lane);
    }
};

class MixedModel : public Predictor {
public:
    MixedModel(Terms of_rows, NestedWeights of_models, std::vector<double> of_mixture, std::vector<double> of_lanes, const Kernels& kernels)
        : Predictor(of_rows.features, of_models.actions, of_lanes.size(), kernels), terms(std::move(of_rows)),
          weights(std::move(of_models)), mixture(std::move(of_mixture)), memories(std::move(of_lanes)) {}

    Terms terms;
    NestedWeights weights;
    std::vector<double> mixture;   // lanes × experts
    std::vector<double> memories;  // for each lane how many rounds it rests on

    double memory(std::size_t lane) const override { return memories[lane]; }

    void predict(Row row, float* scores) const override {
        const Mixture how{weights.models(), lanes, mixture.size() / lanes, mixture.data()};
        how.predict(kernels, terms.expand(row, true), weights, scores);
    }
};

}  // namespace warmcb
