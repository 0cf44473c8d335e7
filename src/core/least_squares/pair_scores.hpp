// The scores of all actions of an offer, from a mixture of least-squares models.
#pragma once

#include "contracts.hpp"
#include "least_squares/mixture.hpp"
#include "least_squares/terms.hpp"

namespace warmcb {

// First the weights of the mixture are added up, then the context is folded into them. A polynomial and bends of the
// features of the actions are left: products of features then cost nothing, and sixteen actions are scored together.
class PairScorer {
public:
    PairScorer(const Mixture& mixture, const Terms& terms, const NestedWeights& models)
        : terms_(terms), lanes_(mixture.lanes) {
        mixed_.assign(terms.size() * lanes_, 0.0f);
        for (std::size_t lane = 0; lane < lanes_; ++lane)
            for (std::size_t e = 0; e < mixture.experts; ++e) {
                const auto share = static_cast<float>(mixture.weights[lane * mixture.experts + e]);
                const std::size_t model = std::min(e, mixture.models - 1),
                                  from = e < mixture.models ? lane : lanes_ + e - mixture.models;
                const float* weight = models.at(model, 0, 0) + from;
                for (std::size_t t = 0; t < models.sizes[model]; ++t)
                    mixed_[t * lanes_ + lane] += share * weight[t * models.lanes];
            }
    }

    // scores: pairs × lanes
    void score(const Kernels& kernels, const Pairs& pairs, uint64_t* identities, float* scores) {
        const std::size_t features = terms_.features - terms_.contexts, stride = padded(pairs.count);
        z_.assign(features * stride, 0.0f);
        normal_.assign(features * stride, 0.0f);
        for (std::size_t k = 0; k < pairs.count; ++k) {
            const Row row = pairs.row(k);
            const float* x = terms_.spell_out(Terms::without_intercept(row));
            identities[k] = row.identity;
            if (k == 0) fold(x);
            for (std::size_t j = 0; j < features; ++j) {
                z_[j * stride + k] = terms_.units.z(terms_.contexts + j, x[terms_.contexts + j]);
                if (bends_of_ranks())
                    normal_[j * stride + k] = terms_.units.score(terms_.contexts + j, x[terms_.contexts + j]);
            }
        }
        lanes_of_actions_.resize(lanes_ * stride);
        kernels.score_pairs(
            {stride, features, lanes_, z_.data(), normal_.data(), constant_.data(), linear_.data(), squared_.data(),
             bends_.data(), bends_.size(), of_term(terms_.base() + terms_.translations), translates_, said_constant_,
             terms_.translates() ? terms_.translator.inverse[0] : 0.0f, said_linear_.data(), said_squared_.data(),
             said_weights_.data(), terms_.products > 0 ? said_products_.data() : nullptr, lanes_of_actions_.data()});
        for (std::size_t k = 0; k < pairs.count; ++k)
            for (std::size_t lane = 0; lane < lanes_; ++lane)
                scores[k * lanes_ + lane] = lanes_of_actions_[lane * stride + k];
    }

private:
    const Terms& terms_;
    std::size_t lanes_;
    std::vector<float> mixed_;  // terms × lanes
    std::vector<float> z_, normal_, lanes_of_actions_;
    std::vector<float> constant_, linear_, squared_, said_linear_, said_squared_, said_weights_, said_products_;
    std::vector<OfferedBend> bends_;
    float said_constant_ = 0;
    bool translates_ = false;

    bool bends_of_ranks() const { return terms_.translations + terms_.bends.size() > 0; }
    const float* of_term(std::size_t term) const { return mixed_.data() + term * lanes_; }

    // Turns a polynomial in all features into one in the features of the action. weights: terms × width, for the terms
    // of terms.hpp up to the crossings.
    void fold(const float* z, const float* weights, std::size_t width, float* constant, float* linear,
              float* squared) const {
        const std::size_t contexts = terms_.contexts, features = terms_.features - contexts;
        const auto at = [&](std::size_t term) { return weights + term * width; };
        for (std::size_t w = 0; w < width; ++w) {
            for (std::size_t i = 0; i < contexts; ++i) constant[w] += z[i] * at(1 + i)[w];
            for (std::size_t j = 0; j < features; ++j) linear[j * width + w] = at(1 + contexts + j)[w];
        }
        for (std::size_t k = 0; k < terms_.squared.size(); ++k) {
            const std::size_t feature = terms_.squared[k];
            for (std::size_t w = 0; w < width; ++w) {
                const float weight = at(1 + terms_.features + k)[w];
                if (feature < contexts) constant[w] += z[feature] * z[feature] / 2 * weight;
                else squared[(feature - contexts) * width + w] = weight;
            }
        }
        if (!terms_.crosses) return;
        const float* crossing = at(terms_.plain());
        for (std::size_t i = 0; i < contexts; ++i)
            for (std::size_t jw = 0; jw < features * width; ++jw) linear[jw] += z[i] * *crossing++;
    }

    void fold(const float* x) {
        const std::size_t contexts = terms_.contexts, features = terms_.features - contexts;
        std::vector<float> z(contexts), normal(contexts);
        for (std::size_t i = 0; i < contexts; ++i) {
            z[i] = terms_.units.z(i, x[i]);
            if (bends_of_ranks()) normal[i] = terms_.units.score(i, x[i]);
        }
        constant_.assign(of_term(0), of_term(0) + lanes_);
        linear_.assign(features * lanes_, 0.0f);
        squared_.assign(features * lanes_, 0.0f);
        fold(z.data(), mixed_.data(), lanes_, constant_.data(), linear_.data(), squared_.data());
        bends_.clear();
        for (const Bend& bend : terms_.bends) {
            OfferedBend& one = bends_.emplace_back(OfferedBend{bend.phase, {}, {}});
            for (int k = 0; k < 3; ++k) {
                if (bend.features[k] < contexts) one.angle += bend.weights[k] * normal[bend.features[k]];
                else {
                    one.features[k] = static_cast<uint32_t>(bend.features[k] - contexts);
                    one.weights[k] = bend.weights[k];
                }
            }
        }
        translates_ = terms_.translates();
        if (!translates_) return;
        said_constant_ = 0;
        said_linear_.assign(features, 0.0f);
        said_squared_.assign(features, 0.0f);
        fold(z.data(), terms_.translator.weights.data(), 1, &said_constant_, said_linear_.data(), said_squared_.data());
        said_weights_.assign(of_term(terms_.base()), of_term(terms_.base() + 1));
        if (terms_.products == 0) return;
        const float* products = of_term(terms_.size() - terms_.products);
        for (std::size_t i = 0; i < contexts; ++i)
            for (std::size_t lane = 0; lane < lanes_; ++lane) said_weights_[lane] += normal[i] * *products++;
        said_products_.assign(products, products + features * lanes_);
    }
};

inline void score_pairs(const Mixture& mixture, const Kernels& kernels, const Terms& terms, const NestedWeights& models,
                        const Identities& identities, const Pairs& pairs, float* scores) {
    static thread_local std::vector<uint64_t> whose;
    whose.resize(pairs.count);
    if (terms.whole) {
        PairScorer(mixture, terms, models).score(kernels, pairs, whose.data(), scores);
    } else {
        static thread_local std::vector<float> said;
        said.resize(mixture.models * models.lanes);
        for (std::size_t k = 0; k < pairs.count; ++k) {
            const Row phi = terms.expand(pairs.row(k), true);
            whose[k] = phi.identity;
            models.predict(kernels, phi, said.data());
            for (std::size_t lane = 0; lane < mixture.lanes; ++lane)
                scores[k * mixture.lanes + lane] = mixture.mixed(said.data(), models.lanes, lane);
        }
    }
    for (std::size_t k = 0; k < pairs.count; ++k)
        if (const auto* one = identities.find(whose[k]))
            for (std::size_t lane = 0; lane < mixture.lanes; ++lane)
                scores[k * mixture.lanes + lane] += mixture.mixed(one->effects.data(), models.lanes, lane);
}

}  // namespace warmcb
