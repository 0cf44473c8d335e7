// The arrays that a run fills.
#pragma once

#include "bindings/bindings.hpp"
#include "rounds/round.hpp"

namespace warmcb {

// The arrays that a run fills, and a check of their sizes.
struct Outputs {
    Array<int32_t> actions;
    Array<double> probabilities, costs;
    Array<int32_t> lanes;
    Array<double> memories;

    Trace trace_for(std::size_t begin, std::size_t end, const Costs& table, std::size_t actions_known) {
        require(begin <= end && end <= table.size(), "rows out of range");
        require(table.fits(actions_known), "costs of another number of actions");
        return trace_for(end - begin);
    }
    Trace trace_for(std::size_t rounds) {
        require(actions.size() == rounds && probabilities.size() == rounds && costs.size() == rounds &&
                    lanes.size() == rounds && memories.size() == rounds,
                "an output has another length than the run");
        return {actions.data(), probabilities.data(), costs.data(), lanes.data(), memories.data()};
    }
};

}  // namespace warmcb
