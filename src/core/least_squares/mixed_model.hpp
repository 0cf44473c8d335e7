// A mixture of least-squares models that does not learn.
#pragma once

#include "contracts.hpp"
#include "least_squares/identities.hpp"
#include "least_squares/nested_weights.hpp"
#include "least_squares/pair_scores.hpp"

namespace warmcb {

class MixedModel : public Predictor {
public:
    MixedModel(Terms of_rows, NestedWeights of_models, Identities of_actions, std::vector<double> of_mixture,
               std::vector<double> of_lanes, const Kernels& kernels)
        : Predictor(of_rows.features, of_models.actions, of_lanes.size(), kernels), terms(std::move(of_rows)),
          weights(std::move(of_models)), identities(std::move(of_actions)), mixture(std::move(of_mixture)),
          memories(std::move(of_lanes)) {}

    Terms terms;
    NestedWeights weights;
    Identities identities;
    std::vector<double> mixture;   // lanes × experts
    std::vector<double> memories;  // for each lane, the number of rounds behind it

    double memory(std::size_t lane) const override { return memories[lane]; }

    void predict(Row row, float* scores) const override {
        how().predict(kernels, terms.expand(row, true), weights, identities, scores);
    }
    void predict_pairs(const Pairs& pairs, float* scores) const override {
        score_pairs(how(), kernels, terms, weights, identities, pairs, scores);
    }

    std::vector<Contribution> explain(Row row, std::size_t action, std::size_t lane) const override {
        return how().explain(terms, row, weights, identities, action, lane);
    }

private:
    Mixture how() const { return {weights.models(), lanes, mixture.size() / lanes, mixture.data()}; }
};

}  // namespace warmcb
