// The Python module warmcb._core.
//
// Callers are the package's own classes: they have checked the values, and hand over arrays of the exact type and shape.
// What is checked again here is what would otherwise read or write foreign memory.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>

#include "arrays.hpp"
#include "explorers.hpp"
#include "least_squares.hpp"
#include "online_linear.hpp"
#include "philox.hpp"
#include "recursive_least_squares.hpp"
#include "rounds.hpp"
#include "rows.hpp"
#include "selectors.hpp"
#include "states.hpp"
#include "ucb.hpp"

using namespace nb::literals;
using namespace warmcb;

namespace {

template <class Learner>
std::vector<float> importance_of(const Learner& learner, const Array<const double>& lane_weights, double probability = 1.0) {
    require(lane_weights.size() == learner.lanes, "one weight for each lane");
    std::vector<float> importance(learner.lanes);
    weigh(learner, lane_weights.data(), probability, importance.data());
    return importance;
}

const Kernels& kernels_named(const std::optional<std::string>& name) {
    for (const Kernels* kernels : available_kernels())
        if (!name || *name == kernels->name) return *kernels;
    throw std::invalid_argument("instruction set not available on this machine: " + *name);
}

template <class Learner> Row checked_row(const Learner& learner, const Rows& rows, std::size_t i, Rows::Buffer& buffer) {
    require(i < rows.size(), "row out of range");
    require(rows.features() + 1 == learner.inputs, "number of features differs from the learner's");
    return rows.gather(i, buffer);
}

// The outputs of a run of rounds, and that they fit.
struct Outputs {
    Array<int32_t> actions;
    Array<double> probabilities, costs;
    Array<int32_t> lanes;

    Trace trace_for(Segment segment, const Costs& table, std::size_t actions_known) {
        require(segment.begin <= segment.end && segment.end <= table.size(), "rows out of range");
        require(table.fits(actions_known), "costs of another number of actions");
        const std::size_t rounds = segment.end - segment.begin;
        require(actions.size() == rounds && probabilities.size() == rounds && costs.size() == rounds && lanes.size() == rounds,
                "an output has another length than the run");
        return {actions.data(), probabilities.data(), costs.data(), lanes.data()};
    }
};

template <class Learner, class Selector, class Explorer>
void play_checked(Learner& learner, Selector& selector, const Explorer& explorer, const Stream& random, const Rows& rows,
                  const Costs& costs, Segment segment, const double* lane_weights, Outputs outputs) {
    require(rows.features() + 1 == learner.inputs, "number of features differs from the learner's");
    require(segment.end <= rows.size(), "rows out of range");
    const Trace trace = outputs.trace_for(segment, costs, learner.actions);
    nb::gil_scoped_release release;
    play(learner, selector, explorer, random, rows, costs, segment, lane_weights, trace);
}

// What all learners have in common.
template <class Learner> nb::class_<Learner> bind_learner(nb::module_& m, const char* name, const char* doc) {
    return nb::class_<Learner>(m, name, doc)
        .def_ro("inputs", &Learner::inputs)
        .def_ro("actions", &Learner::actions)
        .def_ro("lanes", &Learner::lanes)
        .def_prop_ro("weights", [](Learner& self) {
            return Numpy<float>(self.weights.data(), {self.terms(), self.actions, self.lanes});
        }, nb::rv_policy::reference_internal)
        .def("predict", [](const Learner& self, const Rows& rows, std::size_t i) {
            Rows::Buffer buffer;
            auto scores = fresh_array<float>({self.actions, self.lanes});
            self.predict(checked_row(self, rows, i, buffer), scores.data());
            return scores;
        }, "rows"_a, "i"_a)
        .def("greedy", [](const Learner& self, Matrix<const float> scores) {
            require(scores.shape(0) == self.actions && scores.shape(1) == self.lanes, "scores of another shape");
            auto best = fresh_array<int32_t>({self.lanes});
            self.greedy(scores.data(), best.data());
            return best;
        }, "scores"_a)
        .def("predict_actions", [](const Learner& self, const Rows& rows) {
            require(rows.features() + 1 == self.inputs, "number of features differs from the learner's");
            auto actions = fresh_array<int32_t>({rows.size(), self.lanes});
            nb::gil_scoped_release release;
            predict_actions(self, rows, actions.data());
            return actions;
        }, "rows"_a);
}

// What the learners have in common that take in one example after the other.
template <class Learner> void bind_online(nb::class_<Learner>& bound) {
    bound
        .def("update", [](Learner& self, const Rows& rows, std::size_t i, std::size_t action, double cost,
                          Array<const double> lane_weights, Matrix<const float> scores, double probability) {
            Rows::Buffer buffer;
            require(action < self.actions, "action out of range");
            require(scores.shape(0) == self.actions && scores.shape(1) == self.lanes, "scores of another shape");
            const std::vector<float> importance = importance_of(self, lane_weights, probability);
            self.update(checked_row(self, rows, i, buffer), action, cost, importance.data(), scores.data());
        }, "rows"_a, "i"_a, "action"_a, "cost"_a, "lane_weights"_a, "scores"_a, "probability"_a = 1.0)
        .def("teach", [](Learner& self, const Rows& rows, const Costs& costs, Array<const double> lane_weights) {
            require(rows.features() + 1 == self.inputs, "number of features differs from the learner's");
            require(costs.size() == rows.size() && costs.fits(self.actions), "costs of another shape");
            const std::vector<float> importance = importance_of(self, lane_weights);
            nb::gil_scoped_release release;
            teach(self, rows, costs, importance.data());
        }, "rows"_a, "costs"_a, "lane_weights"_a);
}

Contest::Rule rule_named(const std::string& name) {
    using Rule = Contest::Rule;
    if (name == "baseline") return Rule::baseline;
    if (name == "running-baseline") return Rule::running_baseline;
    if (name == "self-normalised") return Rule::self_normalised;
    if (name == "doubly-robust") return Rule::doubly_robust;
    if (name == "doubly-robust-in-charge") return Rule::doubly_robust_in_charge;
    if (name == "forecast") return Rule::forecast;
    throw std::invalid_argument("no rule is called " + name);
}

// What both selectors have in common.
template <class Selector> nb::class_<Selector> bind_selector(nb::module_& m, const char* name) {
    return nb::class_<Selector>(m, name)
        .def_prop_ro("sums", [](Selector& self) {
            return Numpy<double>(self.sums.data(), {self.sums.size()});
        }, nb::rv_policy::reference_internal)
        .def_ro("rounds", &Selector::rounds)
        .def_prop_ro("scores", [](const Selector& self) {
            std::vector<double> scores(self.sums.size());
            for (std::size_t lane = 0; lane < scores.size(); ++lane) scores[lane] = self.score(lane);
            return as_array(std::move(scores));
        }, nb::rv_policy::move)
        .def("admit", [](Selector& self, std::size_t first) {
            require(first < self.sums.size(), "lane out of range");
            self.admit(first);
        }, "first"_a)
        .def_prop_ro("best", &Selector::best)
        .def_prop_ro("eligible", [](const Selector& self) {
            auto eligible = fresh_array<uint8_t>({self.sums.size()});
            for (std::size_t lane = 0; lane < self.sums.size(); ++lane) eligible.data()[lane] = self.eligible(lane);
            return eligible;
        }, nb::rv_policy::move)
        .def("add", [](Selector& self, Matrix<const float> scores, Array<const int32_t> greedy, std::size_t action,
                       double cost, double probability, double largest_weight, double largest_weight_ever) {
            require(greedy.size() == self.sums.size(), "one greedy action for each lane");
            require(scores.shape(1) == self.sums.size() && action < scores.shape(0), "scores of another shape");
            for (std::size_t lane = 0; lane < greedy.size(); ++lane)
                require(0 <= greedy(lane) && static_cast<std::size_t>(greedy(lane)) < scores.shape(0), "action out of range");
            self.add({scores.data(), greedy.data(), greedy.size(), action, cost, probability, largest_weight,
                      largest_weight_ever});
        }, "scores"_a, "greedy"_a, "action"_a, "cost"_a, "probability"_a, "largest_weight"_a, "largest_weight_ever"_a);
}

// What both explorers have in common.
template <class Explorer> nb::class_<Explorer> bind_explorer(nb::module_& m, const char* name) {
    return nb::class_<Explorer>(m, name)
        .def("__init__", [](Explorer* self, double epsilon) { new (self) Explorer{epsilon}; }, "epsilon"_a)
        .def_ro("epsilon", &Explorer::epsilon)
        .def("largest_weight", &Explorer::largest_weight, "actions"_a, "round"_a, "of_eligible"_a)
        .def("distribution", [](const Explorer& self, Matrix<const float> scores, Array<const int32_t> greedy,
                                Array<const uint8_t> eligible, std::size_t in_charge, uint64_t round) {
            const std::size_t lanes = scores.shape(1);
            require(greedy.size() == lanes && eligible.size() == lanes && in_charge < lanes, "scores of another shape");
            for (std::size_t lane = 0; lane < lanes; ++lane)
                require(0 <= greedy(lane) && static_cast<std::size_t>(greedy(lane)) < scores.shape(0), "action out of range");
            auto probabilities = fresh_array<double>({scores.shape(0)});
            self.distribution({scores.data(), scores.shape(0), lanes, greedy.data(), eligible.data(), in_charge}, round,
                              probabilities.data());
            return probabilities;
        }, "scores"_a, "greedy"_a, "eligible"_a, "in_charge"_a, "round"_a);
}

template <class Learner, class Selector, class Explorer> void bind_play(nb::module_& m) {
    m.def("play_lanes", [](Learner& learner, Selector& selector, const Explorer& explorer, const Stream& random,
                           const Rows& rows, const Costs& costs, std::size_t begin, std::size_t end, uint64_t first_round,
                           std::optional<Array<const double>> lane_weights, Array<int32_t> actions,
                           Array<double> probabilities, Array<double> paid, Array<int32_t> lanes) {
        require(selector.sums.size() == learner.lanes, "one score for each lane");
        require(!lane_weights || lane_weights->size() == learner.lanes, "one weight for each lane");
        play_checked(learner, selector, explorer, random, rows, costs, {begin, end, first_round},
                     lane_weights ? lane_weights->data() : nullptr, {actions, probabilities, paid, lanes});
    }, "learner"_a, "selector"_a, "explorer"_a, "random"_a, "rows"_a, "costs"_a, "begin"_a, "end"_a, "first_round"_a,
       "lane_weights"_a.none(), "actions"_a, "probabilities"_a, "paid"_a, "lanes"_a);
}

// Every composition of a learner, a selector and an explorer, compiled.
template <class Learner> void bind_plays(nb::module_& m) {
    bind_play<Learner, ProgressiveValidation, EpsilonGreedy>(m);
    bind_play<Learner, ProgressiveValidation, InverseGap>(m);
    bind_play<Learner, Contest, EpsilonGreedy>(m);
    bind_play<Learner, Contest, InverseGap>(m);
}

}  // namespace

NB_MODULE(_core, m) {
    m.def("instruction_sets", [] {
        std::vector<std::string> names;
        for (const Kernels* kernels : available_kernels()) names.emplace_back(kernels->name);
        return names;
    });

    nb::class_<Stream>(m, "Stream")
        .def(nb::init<uint64_t, uint64_t>(), "seed"_a, "stream"_a)
        .def("uniform", &Stream::uniform, "round"_a)
        .def("draw", [](const Stream& self, uint64_t round, Array<const double> probabilities) {
            return draw(probabilities.data(), probabilities.size(), self.uniform(round));
        }, "round"_a, "probabilities"_a);

    nb::class_<Rows>(m, "Rows")
        .def("__init__", [](Rows* self, Matrix<const float> values) {
            new (self) Rows(values.data(), values.shape(0), values.shape(1));
        }, "values"_a.noconvert(), nb::keep_alive<1, 2>())
        .def("__init__", [](Rows* self, Array<const float> values, Array<const int32_t> indices, Array<const int64_t> starts,
                            std::size_t features) {
            require(starts.size() > 0 && values.size() == indices.size(), "not a CSR matrix");
            const int64_t *start = starts.data(), *end = start + starts.size() - 1;
            require(*start >= 0 && *end <= static_cast<int64_t>(values.size()), "a row lies outside of the values");
            for (; start < end; ++start) {
                const int64_t size = start[1] - start[0];
                require(0 <= size && size <= static_cast<int64_t>(features), "a row has more values than there are columns");
            }
            for (int64_t i = starts.data()[0]; i < *end; ++i)
                require(0 <= indices.data()[i] && indices.data()[i] < static_cast<int64_t>(features), "a column out of range");
            new (self) Rows(values.data(), indices.data(), starts.data(), starts.size() - 1, features);
        }, "values"_a.noconvert(), "indices"_a.noconvert(), "starts"_a.noconvert(), "features"_a,
           nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>())
        .def("__len__", &Rows::size)
        .def_prop_ro("features", &Rows::features)
        .def("first_bad", [](const Rows& self) -> std::optional<std::tuple<int64_t, int64_t, float>> {
            if (const auto bad = self.first_bad()) return std::tuple{bad->row, bad->column, bad->value};
            return std::nullopt;
        })
        .def("take", [](const Rows& self, Array<const int64_t> order) {
            std::vector<float> values;
            std::vector<int32_t> indices;
            std::vector<int64_t> starts{0};
            Rows::Buffer buffer;
            for (std::size_t k = 0; k < order.size(); ++k) {
                const auto i = static_cast<std::size_t>(order.data()[k]);
                require(i < self.size(), "row out of range");
                const Row row = self.gather(i, buffer);
                values.insert(values.end(), row.value, row.value + row.size - 1);  // without the intercept
                indices.insert(indices.end(), row.index, row.index + row.size - 1);
                starts.push_back(static_cast<int64_t>(values.size()));
            }
            return nb::make_tuple(as_array(std::move(values)), as_array(std::move(indices)), as_array(std::move(starts)));
        }, "order"_a, "The rows of these numbers, in this order, as CSR arrays.");

    nb::class_<Costs>(m, "Costs")
        .def("__init__", [](Costs* self, Array<const int32_t> labels) { new (self) Costs(labels.data(), labels.size()); },
             "labels"_a.noconvert(), nb::keep_alive<1, 2>())
        .def("__init__", [](Costs* self, Matrix<const double> matrix) {
            new (self) Costs(matrix.data(), matrix.shape(0), matrix.shape(1));
        }, "matrix"_a.noconvert(), nb::keep_alive<1, 2>());

    auto online = bind_learner<OnlineLinear>(m, "OnlineLinear",
                                             "Adaptive, normalized, importance-weight-aware linear regression of costs.");
    bind_online(online);
    online.def("__init__", [](OnlineLinear* self, std::size_t features, std::size_t actions, std::size_t lanes,
                            double learning_rate, const std::optional<std::string>& instruction_set) {
            new (self) OnlineLinear(features, actions, lanes, learning_rate, kernels_named(instruction_set));
        }, "features"_a, "actions"_a, "lanes"_a, "learning_rate"_a, "instruction_set"_a = nb::none())
        .def_prop_ro("scales", [](OnlineLinear& self) {
            return Numpy<float>(self.scales.data(), {self.inputs, self.actions, std::size_t(2), self.lanes});
        }, nb::rv_policy::reference_internal)
        .def_prop_ro("totals", [](OnlineLinear& self) {
            return Numpy<double>(self.totals.data(), {std::size_t(2), self.lanes});
        }, nb::rv_policy::reference_internal);

    auto recursive = bind_learner<RecursiveLeastSquares>(m, "RecursiveLeastSquares",
                                                         "Least squares of costs, exact after each example.");
    bind_online(recursive);
    recursive
        .def("__init__", [](RecursiveLeastSquares* self, std::size_t features, std::size_t actions, std::size_t lanes,
                            std::size_t widest, std::size_t block, bool squares,
                            const std::optional<std::string>& instruction_set) {
            require(block > 0, "a block of at least one term");
            new (self) RecursiveLeastSquares(features, actions, lanes, widest, block, squares, kernels_named(instruction_set));
        }, "features"_a, "actions"_a, "lanes"_a, "widest"_a, "block"_a, "squares"_a, "instruction_set"_a = nb::none())
        .def_ro("block", &RecursiveLeastSquares::block)
        .def_prop_ro("squared", [](const RecursiveLeastSquares& self) { return copy_of(self.squared); },
                     nb::rv_policy::move)
        .def("state", [](const RecursiveLeastSquares& self) { return state_of(self); })
        .def("restore", [](RecursiveLeastSquares& self, const nb::dict& state) { restore(self, state); }, "state"_a);

    bind_learner<LeastSquares>(m, "LeastSquares", "Normal equations of each action, and the weights that solve them.")
        .def("__init__", [](LeastSquares* self, std::size_t features, std::size_t actions, std::size_t lanes) {
            new (self) LeastSquares(features, actions, lanes, kernels_named(std::nullopt));
        }, "features"_a, "actions"_a, "lanes"_a)
        .def_prop_ro("gram", [](LeastSquares& self) {
            return Numpy<double>(self.gram.data(), {self.actions, self.inputs, self.inputs});
        }, nb::rv_policy::reference_internal)
        .def("add", [](LeastSquares& self, const Rows& rows, std::size_t i, std::size_t action, double cost,
                       double probability) {
            Rows::Buffer buffer;
            require(action < self.actions, "action out of range");
            const float weight = static_cast<float>(inverse_propensity(probability));
            self.add(checked_row(self, rows, i, buffer), action, cost, weight);
        }, "rows"_a, "i"_a, "action"_a, "cost"_a, "probability"_a)
        .def_prop_ro("moment", [](LeastSquares& self) {
            return Numpy<double>(self.moment.data(), {self.actions, self.inputs});
        }, nb::rv_policy::reference_internal);

    bind_selector<ProgressiveValidation>(m, "ProgressiveValidation")
        .def(nb::init<std::size_t>(), "lanes"_a)
        .def("restore", [](ProgressiveValidation& self, Array<const double> sums, uint64_t rounds) {
            require(sums.size() == self.sums.size(), "one score for each lane");
            std::copy(sums.data(), sums.data() + sums.size(), self.sums.begin());
            self.rounds = rounds;
        }, "sums"_a, "rounds"_a);

    bind_selector<Contest>(m, "Contest")
        .def("__init__", [](Contest* self, std::size_t lanes, const std::string& rule) {
            require(lanes > 0, "at least one lane");
            new (self) Contest(lanes, rule_named(rule));
        }, "lanes"_a, "rule"_a)
        .def_prop_ro("dropped", [](const Contest& self) { return copy_of(self.dropped); }, nb::rv_policy::move)
        .def_prop_ro("intervals", [](const Contest& self) {
            auto intervals = fresh_array<double>({self.sums.size(), std::size_t(2)});
            for (std::size_t lane = 0; lane < self.sums.size(); ++lane)
                std::tie(intervals.data()[2 * lane], intervals.data()[2 * lane + 1]) = self.evidence.interval(lane);
            return intervals;
        }, nb::rv_policy::move)
        .def("merge", [](Contest& self, const Contest& other) {
            require(self.sums.size() == other.sums.size(), "another number of lanes");
            self.merge(other);
        }, "other"_a)
        .def("state", [](const Contest& self) { return state_of(self); })
        .def("restore", [](Contest& self, const nb::dict& state) { restore(self, state); }, "state"_a);

    bind_explorer<EpsilonGreedy>(m, "EpsilonGreedy")
        .def("probabilities", [](const EpsilonGreedy& self, nb::ndarray<const float, nb::ndim<1>, nb::device::cpu> scores) {
            require(scores.shape(0) > 0, "no scores");
            auto probabilities = fresh_array<double>({scores.shape(0)});
            self.probabilities(scores.data(), scores.shape(0), static_cast<std::size_t>(scores.stride(0)), probabilities.data());
            return probabilities;
        }, "scores"_a);
    bind_explorer<InverseGap>(m, "InverseGap");

    nb::class_<LowerConfidenceBounds>(m, "LowerConfidenceBounds")
        .def(nb::init<std::size_t>(), "actions"_a)
        .def_prop_ro("sums", [](LowerConfidenceBounds& self) {
            return Numpy<double>(self.sums.data(), {self.sums.size()});
        }, nb::rv_policy::reference_internal)
        .def_prop_ro("counts", [](LowerConfidenceBounds& self) {
            return Numpy<double>(self.counts.data(), {self.counts.size()});
        }, nb::rv_policy::reference_internal)
        .def_rw("rounds", &LowerConfidenceBounds::rounds)
        .def_prop_ro("best", &LowerConfidenceBounds::best)
        .def("bound", [](const LowerConfidenceBounds& self, std::size_t action) {
            require(action < self.counts.size(), "action out of range");
            return self.bound(action);
        }, "action"_a)
        .def("add", [](LowerConfidenceBounds& self, std::size_t action, double cost) {
            require(action < self.counts.size(), "action out of range");
            self.add(action, cost);
        }, "action"_a, "cost"_a);

    bind_plays<OnlineLinear>(m);
    bind_plays<RecursiveLeastSquares>(m);

    m.def("play_epoch", [](LeastSquares& learner, std::size_t lane, const EpsilonGreedy& explorer, const Stream& random,
                           const Rows& rows, const Costs& costs, std::size_t begin, std::size_t end, uint64_t first_round,
                           Array<int32_t> actions, Array<double> probabilities, Array<double> paid, Array<int32_t> lanes) {
        require(lane < learner.lanes, "lane out of range");
        FixedLane selector{lane};
        const std::vector<double> all_alike(learner.lanes, 1.0);
        play_checked(learner, selector, explorer, random, rows, costs, {begin, end, first_round}, all_alike.data(),
                     {actions, probabilities, paid, lanes});
    }, "learner"_a, "lane"_a, "explorer"_a, "random"_a, "rows"_a, "costs"_a, "begin"_a, "end"_a, "first_round"_a,
       "actions"_a, "probabilities"_a, "paid"_a, "lanes"_a);

    m.def("play_ucb", [](LowerConfidenceBounds& bounds, const Costs& costs, std::size_t begin, std::size_t end,
                         Array<int32_t> actions, Array<double> probabilities, Array<double> paid, Array<int32_t> lanes) {
        const Segment segment{begin, end, 0};
        const Trace trace = Outputs{actions, probabilities, paid, lanes}.trace_for(segment, costs, bounds.counts.size());
        nb::gil_scoped_release release;
        play(bounds, costs, segment, trace);
    }, "bounds"_a, "costs"_a, "begin"_a, "end"_a, "actions"_a, "probabilities"_a, "paid"_a, "lanes"_a);
}
