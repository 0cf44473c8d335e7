// Opinions and outcomes from Python's named tuples (warmcb/contracts.py).
#pragma once

#include "bindings/arrays.hpp"
#include "contracts.hpp"

namespace warmcb {

// The arrays of scores and greedy actions, kept alive while they are used.
struct LaneArrays {
    explicit LaneArrays(nb::handle tuple)
        : scores(nb::cast<Matrix<const float>>(tuple.attr("scores"))),
          greedy(nb::cast<Array<const int32_t>>(tuple.attr("greedy"))) {
        require(greedy.size() == scores.shape(1), "one greedy action for each lane");
        for (std::size_t lane = 0; lane < greedy.size(); ++lane)
            require(0 <= greedy(lane) && static_cast<std::size_t>(greedy(lane)) < scores.shape(0),
                    "action out of range");
    }

    Matrix<const float> scores;
    Array<const int32_t> greedy;
};

struct OutcomeArrays : LaneArrays {
    explicit OutcomeArrays(nb::handle tuple) : LaneArrays(tuple), tuple(tuple) {}

    Outcome outcome() const {
        const auto number = [&](const char* name) { return nb::cast<double>(tuple.attr(name)); };
        const auto action = nb::cast<std::size_t>(tuple.attr("action"));
        require(action < scores.shape(0), "action out of range");
        return {scores.data(), greedy.data(), scores.shape(0), scores.shape(1), action, number("cost"),
                number("probability"), number("largest_weight"), number("largest_weight_ever"),
                nb::cast<uint64_t>(tuple.attr("age")), nb::cast<bool>(tuple.attr("bounded")),
                nb::cast<bool>(tuple.attr("varied"))};
    }

    nb::handle tuple;
};

struct OpinionArrays : LaneArrays {
    explicit OpinionArrays(nb::handle tuple)
        : LaneArrays(tuple), eligible(nb::cast<Array<const uint8_t>>(tuple.attr("eligible"))), tuple(tuple) {}

    Opinions opinions() const {
        const auto in_charge = nb::cast<std::size_t>(tuple.attr("in_charge"));
        require(eligible.size() == scores.shape(1) && in_charge < scores.shape(1), "scores of another shape");
        return {scores.data(), scores.shape(0), scores.shape(1), greedy.data(), eligible.data(), in_charge,
                nb::cast<double>(tuple.attr("epsilon")), nb::cast<uint64_t>(tuple.attr("round"))};
    }

    Array<const uint8_t> eligible;
    nb::handle tuple;
};

}  // namespace warmcb
