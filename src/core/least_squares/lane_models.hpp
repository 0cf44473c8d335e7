// Least squares for every action and lane over the same terms, exact after each example.
#pragma once

#include <memory>

#include "contracts.hpp"
#include "least_squares/factor.hpp"
#include "least_squares/identities.hpp"
#include "least_squares/mixed_model.hpp"

namespace warmcb {

// Minimises Σ h·(w·φ − cost)² + Σ_j (w_j − w₀_j)²/prior_j for each action and lane. w₀ is the first guess for the
// intercept, and 0 for other weights. The same is solved for the models with fewer terms, at almost no cost
// (factor.hpp). A lane may forget: old examples then count less.
//
// Regressors that have learned the same contexts share a factor: all actions after a warm start, and a lane and its
// copy. A regressor that learns alone gets its own factor.
class LaneModels {
public:
    LaneModels(std::size_t actions, std::vector<std::size_t> sizes, std::vector<float> prior_of_terms,
               std::vector<Forgetting> forgetting_of_lanes, Identities::Options of_identities, bool whole,
               float first_guess, const Kernels& kernels)
        : prior(std::move(prior_of_terms)), forgetting(std::move(forgetting_of_lanes)),
          weights(std::move(sizes), actions, lanes(), whole), identities(models(), lanes(), of_identities),
          fresh(std::make_shared<Factor>(prior, whole)), factors(actions * lanes(), fresh), first_guess_(first_guess),
          kernels_(&kernels) {
        for (std::size_t model = 0; model < models(); ++model)
            std::fill_n(weights.at(model, 0, 0), actions * lanes(), first_guess);
        if (whole)
            for (std::size_t block = 0; block < Factor::blocks_of(terms()); ++block)
                touched_.push_back(static_cast<uint32_t>(block));
        if (!whole) dense_.resize(padded(terms()));
    }

    std::vector<float> prior;  // the variance of each weight before the first example
    std::vector<Forgetting> forgetting;  // of each lane
    NestedWeights weights;
    Identities identities;
    std::shared_ptr<Factor> fresh;
    std::vector<std::shared_ptr<Factor>> factors;  // actions × lanes

    std::size_t terms() const { return prior.size(); }
    std::size_t lanes() const { return forgetting.size(); }
    std::size_t models() const { return weights.models(); }
    std::size_t actions() const { return weights.actions; }

    // The expected cost of an action: models × lanes.
    const std::vector<float>& forecast(Row phi, std::size_t action) {
        forecasts_.assign(models() * lanes(), 0.0f);
        for (std::size_t model = 0; model < models(); ++model) {
            const Row row = weights.seen(phi, model);
            float* to = forecasts_.data() + model * lanes();
            const float* weight = weights.at(model, 0, action);
            for (std::size_t k = 0; k < row.size; ++k) {
                const float* from = weight + row.index[k] * weights.stride();
                for (std::size_t lane = 0; lane < lanes(); ++lane) to[lane] += row.value[k] * from[lane];
            }
        }
        if (const auto* one = identities.find(phi.identity))
            for (std::size_t i = 0; i < forecasts_.size(); ++i) forecasts_[i] += one->effects[i];
        return forecasts_;
    }

    // Learns the costs of all actions; NaN for unknown ones. importance: the weight in each lane; with 0 nothing is
    // learned.
    void teach(Row phi, const double* costs, const std::vector<float>& importance) {
        spread(phi);
        forecasts_.resize(models() * actions() * lanes());
        weights.predict(*kernels_, phi, forecasts_.data());
        gains_.resize(models() * padded(terms()));
        norms_.resize(models());
        for (std::size_t lane = 0; lane < lanes(); ++lane) {
            if (importance[lane] == 0) continue;
            judged_.resize(actions());
            std::transform(costs, costs + actions(), judged_.begin(), [](double cost) { return !std::isnan(cost); });
            for (std::size_t a = 0; a < actions(); ++a)
                if (judged_[a]) teach_together(a, lane, phi, costs, importance[lane]);
        }
        sweep(phi);
    }

    // Learns the cost of an action in round `now`.
    void learn(Row phi, std::size_t action, float cost, const std::vector<float>& importance, uint64_t now) {
        spread(phi);
        forecast(phi, action);
        const std::size_t size = padded(terms()), of_lane = models() * size;
        gains_.resize(lanes() * of_lane);
        norms_.resize(lanes() * models());
        Identities::Identity* const one = phi.identity == 0 ? nullptr : &identities.meet(phi.identity, forgetting, now);
        for (std::size_t lane = 0; lane < lanes(); ++lane) {
            if (importance[lane] == 0) continue;
            auto& factor = of(action, lane);
            if (factor.use_count() > 1) factor = std::make_shared<Factor>(*factor);
            factor->walk(forgetting[lane], now, prior);
            // For all other weights, the effect of an identity is noise with its variance.
            const float weight =
                one ? importance[lane] / (1 + importance[lane] * one->variances[lane]) : importance[lane];
            factor->absorb(inputs(phi), touched_, weight, weights.sizes, *kernels_, gains_.data() + lane * of_lane,
                           norms_.data() + lane * models());
        }
        for (std::size_t model = 0; model < models(); ++model) {
            float *residuals = forecasts_.data() + model * lanes(), *weight = weights.at(model, 0, action);
            for (std::size_t lane = 0; lane < lanes(); ++lane) residuals[lane] = cost - residuals[lane];
            for_touched(model, [&](std::size_t term) {  // all lanes at once, as they are contiguous
                float* to = weight + term * weights.stride();
                const float* gain = gains_.data() + model * size + term;
                for (std::size_t lane = 0; lane < lanes(); ++lane)
                    if (importance[lane] != 0) to[lane] += gain[lane * of_lane] * residuals[lane];
            });
        }
        if (one) learn(*one, importance);
        sweep(phi);
    }

    // Resets a lane.
    void restart(std::size_t lane) {
        for (std::size_t a = 0; a < actions(); ++a) of(a, lane) = fresh;
        for (std::size_t i = lane; i < weights.values.size(); i += lanes()) weights.values[i] = 0;
        for_intercepts([&](float* of_lanes) { of_lanes[lane] = first_guess_; });
        identities.restart(lane);
    }

    void copy(std::size_t from, std::size_t to) {
        for (std::size_t a = 0; a < actions(); ++a) of(a, to) = of(a, from);
        for (std::size_t i = 0; i < weights.values.size(); i += lanes())
            weights.values[i + to] = weights.values[i + from];
        identities.copy(from, to);
    }

    LaneModels with_lanes(const std::vector<std::size_t>& origins) const {
        std::vector<Forgetting> forgetting_of_lanes;
        for (const std::size_t origin : origins)
            forgetting_of_lanes.push_back(forgetting[origin == from_nothing ? 0 : origin]);
        LaneModels changed(actions(), weights.sizes, prior, std::move(forgetting_of_lanes), identities.options,
                           weights.whole, first_guess_, *kernels_);
        changed.identities = identities.with_lanes(origins);
        for (std::size_t lane = 0; lane < origins.size(); ++lane) {
            if (origins[lane] == from_nothing) continue;
            for (std::size_t a = 0; a < actions(); ++a) changed.of(a, lane) = factors[a * lanes() + origins[lane]];
            for (std::size_t i = 0; i < weights.values.size() / lanes(); ++i)
                changed.weights.values[i * origins.size() + lane] = weights.values[i * lanes() + origins[lane]];
        }
        return changed;
    }

    void add_action() {
        NestedWeights grown(weights.sizes, actions() + 1, lanes(), weights.whole);
        for (std::size_t model = 0; model < models(); ++model) {
            for (std::size_t term = 0; term < weights.sizes[model]; ++term)
                std::copy_n(weights.at(model, term, 0), actions() * lanes(), grown.at(model, term, 0));
            std::fill_n(grown.at(model, 0, actions()), lanes(), first_guess_);
        }
        weights = std::move(grown);
        factors.resize(factors.size() + lanes(), fresh);
    }

    // Changes the unit of costs of a lane: a·cost + b.
    void rescale(std::size_t lane, double a, double b) {
        for (std::size_t i = lane; i < weights.values.size(); i += lanes()) weights.values[i] *= static_cast<float>(a);
        for_intercepts([&](float* of_lanes) { of_lanes[lane] += static_cast<float>(b); });
        identities.rescale(lane, a);
    }

private:
    float first_guess_;
    const Kernels* kernels_;
    std::vector<float> forecasts_, gains_, norms_, dense_;  // dense_: a wide row as the factors need it, until sweep()
    std::vector<uint32_t> touched_;                // blocks
    std::vector<uint8_t> judged_;                  // of a labelled example: the actions that are not learned yet
    std::vector<std::size_t> together_;

    std::shared_ptr<Factor>& of(std::size_t action, std::size_t lane) { return factors[action * lanes() + lane]; }

    const float* inputs(Row phi) const { return weights.whole ? phi.value : dense_.data(); }

    void spread(Row phi) {
        if (weights.whole) return;
        touched_.clear();
        for (std::size_t k = 0; k < phi.size; ++k) {
            dense_[phi.index[k]] = phi.value[k];
            touched_.push_back(static_cast<uint32_t>(phi.index[k] / tile));
        }
        std::sort(touched_.begin(), touched_.end());
        touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
    }
    void sweep(Row phi) {
        if (weights.whole) return;
        for (std::size_t k = 0; k < phi.size; ++k) dense_[phi.index[k]] = 0;
    }

    template <class Each> void for_touched(std::size_t model, Each&& each) {
        for (const uint32_t block : touched_)
            for (std::size_t term = block * tile; term < std::min((block + 1) * tile, weights.sizes[model]); ++term)
                each(term);
    }
    template <class Each> void for_intercepts(Each&& each) {
        for (std::size_t model = 0; model < models(); ++model)
            for (std::size_t a = 0; a < actions(); ++a) each(weights.at(model, 0, a));
    }

    // The last steps of an example, when forecasts_ contains the residuals.
    void learn(Identities::Identity& one, const std::vector<float>& importance) {
        for (std::size_t lane = 0; lane < lanes(); ++lane) {
            if (importance[lane] == 0) continue;
            const float shrunk = one.variances[lane] / (1 + importance[lane] * one.variances[lane]);
            for (std::size_t model = 0; model < models(); ++model)
                one.effects[model * lanes() + lane] +=
                    importance[lane] * shrunk / norms_[lane * models() + model] * forecasts_[model * lanes() + lane];
            one.variances[lane] = shrunk;
        }
    }

    // Learns an action and all others with the same factor and a known cost. Others with this factor keep the old one.
    void teach_together(std::size_t action, std::size_t lane, Row phi, const double* costs, float importance) {
        const auto shares = [&](std::size_t other) {
            return judged_[other] && of(other, lane).get() == of(action, lane).get();
        };
        std::vector<std::size_t>& together = together_;
        together.clear();
        for (std::size_t a = action; a < actions(); ++a)
            if (shares(a)) together.push_back(a);
        const bool all = of(action, lane).use_count() == static_cast<long>(together.size());
        const auto learned = all ? of(action, lane) : std::make_shared<Factor>(*of(action, lane));
        learned->absorb(inputs(phi), touched_, importance, weights.sizes, *kernels_, gains_.data(), norms_.data());
        for (const std::size_t a : together) {
            of(a, lane) = learned;
            judged_[a] = 0;
            for (std::size_t model = 0; model < models(); ++model) {
                const float residual =
                    static_cast<float>(costs[a]) - forecasts_[(model * actions() + a) * lanes() + lane];
                const float* gain = gains_.data() + model * padded(terms());
                float* weight = weights.at(model, 0, a) + lane;
                for_touched(model, [&](std::size_t term) { weight[term * weights.stride()] += gain[term] * residual; });
            }
        }
    }
};

}  // namespace warmcb
