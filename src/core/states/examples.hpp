// The examples that recursive least squares keep: saved and restored.
#pragma once

#include "least_squares/recursive_least_squares.hpp"
#include "states/arrays_by_name.hpp"

namespace warmcb {

// Labels, then rounds that may have to be learned again. Unknown costs are written as 0, with a mark.
inline void put_examples(State& state, const RecursiveLeastSquares& learner) {
    std::vector<uint32_t> index;
    std::vector<float> value, importance;
    std::vector<uint64_t> ends, actions, identities, ages;
    std::vector<double> costs;
    std::vector<uint8_t> known;
    for (const auto* examples : {&learner.labels_kept, &learner.rounds_kept, &learner.met})
        for (const auto& example : *examples) {
            index.insert(index.end(), example.index.begin(), example.index.end());
            value.insert(value.end(), example.value.begin(), example.value.end());
            importance.insert(importance.end(), example.importance.begin(), example.importance.end());
            ends.push_back(index.size());
            actions.push_back(example.action);
            identities.push_back(example.identity);
            ages.push_back(example.age);
            for (const double cost : example.costs) {
                known.push_back(!std::isnan(cost));
                costs.push_back(std::isnan(cost) ? 0 : cost);
            }
        }
    state["kept_counts"] =
        copy_of(std::vector<uint64_t>{learner.labels_kept.size(), learner.rounds_kept.size(), learner.met.size()});
    state["kept_index"] = as_array(std::move(index));
    state["kept_value"] = as_array(std::move(value));
    state["kept_importance"] = as_array(std::move(importance));
    state["kept_ends"] = as_array(std::move(ends));
    state["kept_actions"] = as_array(std::move(actions));
    state["kept_identities"] = as_array(std::move(identities));
    state["kept_ages"] = as_array(std::move(ages));
    state["kept_costs"] = as_array(std::move(costs));
    state["kept_known"] = as_array(std::move(known));
}

inline void get_examples(const State& state, RecursiveLeastSquares& learner) {
    std::vector<uint64_t> counts(3);
    copy_from(state, "kept_counts", counts);
    const auto index = array_from<uint32_t>(state, "kept_index");
    const auto value = array_from<float>(state, "kept_value"), importance = array_from<float>(state, "kept_importance");
    const auto ends = array_from<uint64_t>(state, "kept_ends"), actions = array_from<uint64_t>(state, "kept_actions");
    const auto costs = array_from<double>(state, "kept_costs");
    const auto known = array_from<uint8_t>(state, "kept_known");
    const std::size_t total = ends.size();
    std::vector<uint64_t> identities(total), ages(total);
    copy_from(state, "kept_identities", identities);
    copy_from(state, "kept_ages", ages);
    require(counts[0] <= total && counts[1] <= total - counts[0] && counts[2] == total - counts[0] - counts[1] &&
                actions.size() == total,
            "another number of examples");
    require(importance.size() == (counts[0] + counts[1]) * learner.lanes && value.size() == index.size() &&
                known.size() == costs.size() && costs.size() == counts[0] * learner.actions + counts[1],
            "examples of another size");
    std::size_t begin = 0, cost = 0;
    for (std::size_t i = 0; i < total; ++i) {
        const bool is_label = i < counts[0], is_met = i >= counts[0] + counts[1];
        require(begin < ends[i] && ends[i] <= index.size() && actions[i] < learner.actions, "an example out of range");
        RecursiveLeastSquares::Example example;
        example.index.assign(index.begin() + begin, index.begin() + ends[i]);
        example.value.assign(value.begin() + begin, value.begin() + ends[i]);
        require(std::all_of(example.index.begin(), example.index.end() - 1,
                            [&](uint32_t j) { return j < learner.features(); }) &&
                    example.index.back() == learner.features(),
                "an unknown feature");
        if (!is_met) {
            example.importance.assign(importance.begin() + i * learner.lanes,
                                      importance.begin() + (i + 1) * learner.lanes);
            require(none_negative(example.importance), "an example of negative weight");
            for (std::size_t k = 0; k < (is_label ? learner.actions : 1); ++k, ++cost)
                example.costs.push_back(known[cost] ? costs[cost] : std::numeric_limits<double>::quiet_NaN());
        }
        example.action = actions[i];
        example.identity = identities[i];
        example.age = ages[i];
        begin = ends[i];
        (is_met ? learner.met : is_label ? learner.labels_kept : learner.rounds_kept).push_back(std::move(example));
    }
}

}  // namespace warmcb
