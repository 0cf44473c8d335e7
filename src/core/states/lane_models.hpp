// The states of the least-squares models of all lanes: saved and restored.
#pragma once

#include <map>

#include "least_squares/lane_models.hpp"
#include "states/terms.hpp"

namespace warmcb {

// Models with their factors. Shared factors are saved once.
inline void put_models(State& state, const std::string& name, const LaneModels& models) {
    std::map<const Factor*, uint32_t> numbers{{models.fresh.get(), 0}};
    std::vector<uint32_t> whose;
    std::vector<float> variances, tiles;
    std::vector<uint64_t> walked;
    for (const auto& factor : models.factors) {
        const auto [found, is_new] = numbers.try_emplace(factor.get(), static_cast<uint32_t>(numbers.size()));
        whose.push_back(found->second);
        if (!is_new) continue;
        variances.insert(variances.end(), factor->variances.begin(), factor->variances.end());
        tiles.insert(tiles.end(), factor->tiles.begin(), factor->tiles.end());
        walked.push_back(factor->walked);
    }
    state[(name + "_weights").c_str()] = copy_of(models.weights.values);
    state[(name + "_whose").c_str()] = as_array(std::move(whose));
    state[(name + "_variances").c_str()] = as_array(std::move(variances));
    state[(name + "_tiles").c_str()] = as_array(std::move(tiles));
    state[(name + "_walked").c_str()] = as_array(std::move(walked));
    put_identities(state, name, models.identities);
}

inline void get_models(const State& state, const std::string& name, LaneModels& models) {
    const auto array_of = [&](const char* what) { return name + what; };
    copy_from(state, array_of("_weights").c_str(), models.weights.values);
    std::vector<uint32_t> whose(models.factors.size());
    copy_from(state, array_of("_whose").c_str(), whose);
    const auto walked = array_from<uint64_t>(state, array_of("_walked").c_str());
    const std::size_t n_variances = models.fresh->variances.size(), n_tiles = models.fresh->tiles.size();
    std::vector<float> variances(walked.size() * n_variances), tiles(walked.size() * n_tiles);
    copy_from(state, array_of("_variances").c_str(), variances);
    copy_from(state, array_of("_tiles").c_str(), tiles);
    require(none_negative(variances), "a negative variance");
    std::vector<std::shared_ptr<Factor>> factors{models.fresh};
    for (std::size_t k = 0; k < walked.size(); ++k) {
        factors.push_back(std::make_shared<Factor>(*models.fresh));
        std::copy_n(variances.begin() + k * n_variances, n_variances, factors.back()->variances.begin());
        std::copy_n(tiles.begin() + k * n_tiles, n_tiles, factors.back()->tiles.begin());
        factors.back()->walked = walked[k];
    }
    for (std::size_t i = 0; i < whose.size(); ++i) {
        require(whose[i] < factors.size(), "an unknown factor");
        models.factors[i] = factors[whose[i]];
    }
    get_identities(state, name, models.identities);
}

}  // namespace warmcb
