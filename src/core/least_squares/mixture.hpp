// The mixture of forecasts.
#pragma once

#include "least_squares/identities.hpp"
#include "least_squares/nested_weights.hpp"
#include "least_squares/terms.hpp"

namespace warmcb {

// For each lane, the weights of the forecasts of its own nested models, and of the memories, which are additional lanes
// of the largest model.
struct Mixture {
    std::size_t models, lanes, experts;
    const double* weights;  // lanes × experts

    // said: the forecasts, models × all lanes; `stride` is the distance between two models.
    float expert(const float* said, std::size_t stride, std::size_t lane, std::size_t e) const {
        return e < models ? said[e * stride + lane] : said[(models - 1) * stride + lanes + e - models];
    }
    float mixed(const float* said, std::size_t stride, std::size_t lane) const {
        double sum = 0;
        for (std::size_t e = 0; e < experts; ++e)
            sum += weights[lane * experts + e] * static_cast<double>(expert(said, stride, lane, e));
        return static_cast<float>(sum);
    }

    // The contributions to one score of one lane.
    std::vector<Contribution> explain(const Terms& terms, Row row, const NestedWeights& of_models,
                                      const Identities& identities, std::size_t action, std::size_t lane) const {
        const Row phi = terms.expand(row, true);
        std::vector<float> said(models * of_models.lanes);
        std::vector<Contribution> contributions;
        for (std::size_t k = 0; k < phi.size; ++k) {
            const std::size_t term = phi.index[k];
            for (std::size_t model = 0; model < models; ++model)
                for (std::size_t l = 0; l < of_models.lanes; ++l)
                    said[model * of_models.lanes + l] =
                        term < of_models.sizes[model] ? of_models.at(model, term, action)[l] : 0.0f;
            contributions.push_back(
                {terms.sources(term), mixed(said.data(), of_models.lanes, lane) * static_cast<double>(phi.value[k])});
        }
        if (const auto* one = identities.find(phi.identity))
            contributions.push_back({{of_identity}, mixed(one->effects.data(), of_models.lanes, lane)});
        return contributions;
    }

    // The scores of all actions in all lanes.
    void predict(const Kernels& kernels, Row phi, const NestedWeights& of_models, const Identities& identities,
                 float* scores) const {
        static thread_local std::vector<float> said;
        const std::size_t columns = of_models.actions * of_models.lanes;
        said.resize(models * columns);
        of_models.predict(kernels, phi, said.data());
        if (const auto* one = identities.find(phi.identity))
            for (std::size_t i = 0; i < said.size(); ++i) said[i] += one->effects[i];
        for (std::size_t a = 0; a < of_models.actions; ++a)
            for (std::size_t lane = 0; lane < lanes; ++lane)
                scores[a * lanes + lane] = mixed(said.data() + a * of_models.lanes, columns, lane);
    }
};

}  // namespace warmcb
