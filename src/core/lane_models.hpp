// Least squares for every action and lane over the same terms, exact after each example.
#pragma once

#include <memory>

#include "contracts.hpp"
#include "factor.hpp"
#include "mixed_model.hpp"

namespace warmcb {

// Minimises for each action and lane Σ h·(w·φ − cost)² + Σ_j (w_j − w₀_j)²/prior_j, w₀ being the first guess of the intercept
// and else nothing. A lane may forget: old examples then count less and less.
//
// Regressors that have seen the same contexts share a factor: all actions after a warm start, and a lane with its copy. One
// that learns alone gets its own.
class LaneModels {
public:
    LaneModels(std::size_t actions, std::vector<float> prior_of_terms, std::vector<Forgetting> forgetting_of_lanes, bool whole, float first_guess,
               const Kernels& kernels)
        : prior(std::move(prior_of_terms)), forgetting(std::move(forgetting_of_lanes)), weights(prior.size() * actions * forgetting.size()),
          fresh(std::make_shared<Factor>(prior, whole)), factors(actions * forgetting.size(), fresh), whole_(whole), actions_(actions),
          first_guess_(first_guess), kernels_(&kernels) {
        std::fill_n(weights.data(), actions * lanes(), first_guess);
        if (whole)
            for (std::size_t block = 0; block < Factor::blocks_of(terms()); ++block) touched_.push_back(static_cast<uint32_t>(block));
        gain_.resize(padded(terms()));
        if (!whole) dense_.resize(padded(terms()));
    }

    std::vector<float> prior;  // the variance of each weight before the first example
    std::vector<Forgetting> forgetting;  // of each lane
    std::vector<float> weights;  // terms × actions × lanes
    std::shared_ptr<Factor> fresh;
    std::vector<std::shared_ptr<Factor>> factors;  // actions × lanes

    std::size_t terms() const { return prior.size(); }
    std::size_t lanes() const { return forgetting.size(); }
    std::size_t actions() const { return actions_; }

    // phi may have more terms than these models use.
    void predict(Row phi, float* scores) const {
        const std::size_t columns = actions_ * lanes();
        kernels_->predict(mine(phi), weights.data(), columns, weights.size() * sizeof(float) > cached_bytes, scores);
    }
    Weights view() const { return {weights.data(), terms(), lanes()}; }
    void forecast(Row phi, std::size_t action, float* of_lanes) const {
        std::fill_n(of_lanes, lanes(), 0.0f);
        const Row row = mine(phi);
        for (std::size_t k = 0; k < row.size; ++k) {
            const float* from = weight(row.index[k], action);
            for (std::size_t lane = 0; lane < lanes(); ++lane) of_lanes[lane] += row.value[k] * from[lane];
        }
    }

    // Costs of all actions, or of some: NaN is nobody's judgement. importance: for each lane; 0 teaches nothing.
    void teach(Row phi, const double* costs, const std::vector<float>& importance) {
        spread(phi);
        forecasts_.resize(actions_ * lanes());
        predict(phi, forecasts_.data());
        for (std::size_t lane = 0; lane < lanes(); ++lane) {
            if (importance[lane] == 0) continue;
            judged_.resize(actions_);
            std::transform(costs, costs + actions_, judged_.begin(), [](double cost) { return !std::isnan(cost); });
            for (std::size_t a = 0; a < actions_; ++a)
                if (judged_[a]) teach_together(a, lane, phi, costs, importance[lane]);
        }
        sweep(phi);
    }

    // What an action cost in round `now`.
    void learn(Row phi, std::size_t action, float cost, const std::vector<float>& importance, uint64_t now) {
        spread(phi);
        forecasts_.resize(lanes());
        forecast(phi, action, forecasts_.data());
        const std::size_t size = padded(terms());
        gain_.resize(size * lanes());
        for (std::size_t lane = 0; lane < lanes(); ++lane) {
            forecasts_[lane] = cost - forecasts_[lane];
            if (importance[lane] == 0) continue;
            auto& factor = of(action, lane);
            if (factor.use_count() > 1) factor = std::make_shared<Factor>(*factor);
            factor->walk(forgetting[lane], now, prior);
            factor->absorb(inputs(phi), touched_, importance[lane], *kernels_, gain_.data() + lane * size);
        }
        for_touched([&](std::size_t term) {  // all lanes at once: they lie side by side
            float* to = weight(term, action);
            for (std::size_t lane = 0; lane < lanes(); ++lane)
                if (importance[lane] != 0) to[lane] += gain_[lane * size + term] * forecasts_[lane];
        });
        sweep(phi);
    }

    // A lane as on the first day.
    void restart(std::size_t lane) {
        for (std::size_t a = 0; a < actions_; ++a) factors[a * lanes() + lane] = fresh;
        for (std::size_t term = 0; term < terms(); ++term)
            for (std::size_t a = 0; a < actions_; ++a) weight(term, a)[lane] = term == 0 ? first_guess_ : 0.0f;
    }

    void copy(std::size_t from, std::size_t to) {
        for (std::size_t a = 0; a < actions_; ++a) factors[a * lanes() + to] = factors[a * lanes() + from];
        for (std::size_t term = 0; term < terms(); ++term)
            for (std::size_t a = 0; a < actions_; ++a) weight(term, a)[to] = weight(term, a)[from];
    }

    void add_action() {
        std::vector<float> grown(terms() * (actions_ + 1) * lanes());
        for (std::size_t term = 0; term < terms(); ++term) std::copy_n(weight(term, 0), actions_ * lanes(), grown.data() + term * (actions_ + 1) * lanes());
        weights = std::move(grown);
        factors.resize(factors.size() + lanes(), fresh);
        ++actions_;
        std::fill_n(weight(0, actions_ - 1), lanes(), first_guess_);
    }

    // A lane's costs in another unit: a·cost + b.
    void rescale(std::size_t lane, double a, double b) {
        for (std::size_t i = lane; i < weights.size(); i += lanes()) weights[i] *= static_cast<float>(a);
        for (std::size_t act = 0; act < actions_; ++act) weight(0, act)[lane] += static_cast<float>(b);
    }

    float* weight(std::size_t term, std::size_t action) { return weights.data() + (term * actions_ + action) * lanes(); }
    const float* weight(std::size_t term, std::size_t action) const { return weights.data() + (term * actions_ + action) * lanes(); }

private:
    bool whole_;
    std::size_t actions_;
    float first_guess_;
    const Kernels* kernels_;
    std::vector<float> forecasts_, gain_, dense_;  // dense_: wide rows as the factors want them, until sweep()
    std::vector<uint32_t> touched_;                // blocks
    std::vector<uint8_t> judged_;                  // of a labelled example: what is still to be learned
    std::vector<std::size_t> together_;

    std::shared_ptr<Factor>& of(std::size_t action, std::size_t lane) { return factors[action * lanes() + lane]; }

    Row mine(Row phi) const { return whole_ ? Row{phi.index, phi.value, terms()} : phi; }
    const float* inputs(Row phi) const { return whole_ ? phi.value : dense_.data(); }

    void spread(Row phi) {
        if (whole_) return;
        touched_.clear();
        for (std::size_t k = 0; k < phi.size; ++k) {
            dense_[phi.index[k]] = phi.value[k];
            touched_.push_back(static_cast<uint32_t>(phi.index[k] / tile));
        }
        std::sort(touched_.begin(), touched_.end());
        touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
    }
    void sweep(Row phi) {
        if (whole_) return;
        for (std::size_t k = 0; k < phi.size; ++k) dense_[phi.index[k]] = 0;
    }

    template <class Each> void for_touched(Each&& each) {
        for (const uint32_t block : touched_)
            for (std::size_t term = block * tile; term < std::min((block + 1) * tile, terms()); ++term) each(term);
    }

    // An action, and all others that have its factor and were judged as well. Those that share it and were not keep the old one.
    void teach_together(std::size_t action, std::size_t lane, Row phi, const double* costs, float importance) {
        const auto shares = [&](std::size_t other) { return judged_[other] && of(other, lane).get() == of(action, lane).get(); };
        std::vector<std::size_t>& together = together_;
        together.clear();
        for (std::size_t a = action; a < actions_; ++a)
            if (shares(a)) together.push_back(a);
        const bool all = of(action, lane).use_count() == static_cast<long>(together.size());
        const auto learned = all ? of(action, lane) : std::make_shared<Factor>(*of(action, lane));
        learned->absorb(inputs(phi), touched_, importance, *kernels_, gain_.data());
        for (const std::size_t a : together) {
            of(a, lane) = learned;
            judged_[a] = 0;
            const float residual = static_cast<float>(costs[a]) - forecasts_[a * lanes() + lane];
            for_touched([&](std::size_t term) { weight(term, a)[lane] += gain_[term] * residual; });
        }
    }
};

}  // namespace warmcb
