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

#include "explorers.hpp"
#include "least_squares.hpp"
#include "online_linear.hpp"
#include "philox.hpp"
#include "rounds.hpp"
#include "rows.hpp"
#include "selectors.hpp"
#include "ucb.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace warmcb;

namespace {

template <class T> using Array = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T> using Matrix = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T> using Numpy = nb::ndarray<nb::numpy, T>;

void require(bool condition, const char* message) {
    if (!condition) throw std::invalid_argument(message);
}

template <class T> Numpy<T> fresh_array(std::initializer_list<std::size_t> shape) {
    std::size_t size = 1;
    for (const std::size_t extent : shape) size *= extent;
    T* data = new T[size]();
    return Numpy<T>(data, shape, nb::capsule(data, [](void* p) noexcept { delete[] static_cast<T*>(p); }));
}

template <class T> Numpy<T> as_array(std::vector<T>&& values) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Numpy<T>(kept->data(), {kept->size()}, owner);
}

std::vector<float> importance_of(const Array<const double>& lane_weights, double probability = 1.0) {
    std::vector<float> importance(lane_weights.size());
    weigh(lane_weights.data(), lane_weights.size(), probability, importance.data());
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

template <class Learner, class Selector>
void play_checked(Learner& learner, Selector& selector, const EpsilonGreedy& explorer, const Stream& random, const Rows& rows,
                  const Costs& costs, Segment segment, const double* lane_weights, Outputs outputs) {
    require(rows.features() + 1 == learner.inputs, "number of features differs from the learner's");
    require(segment.end <= rows.size(), "rows out of range");
    const Trace trace = outputs.trace_for(segment, costs, learner.actions);
    nb::gil_scoped_release release;
    play(learner, selector, explorer, random, rows, costs, segment, lane_weights, trace);
}

// What the two learners have in common.
template <class Learner> nb::class_<Learner> bind_learner(nb::module_& m, const char* name, const char* doc) {
    return nb::class_<Learner>(m, name, doc)
        .def_ro("inputs", &Learner::inputs)
        .def_ro("actions", &Learner::actions)
        .def_ro("lanes", &Learner::lanes)
        .def_prop_ro("weights", [](Learner& self) {
            return Numpy<float>(self.weights.data(), {self.inputs, self.actions, self.lanes});
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

    bind_learner<OnlineLinear>(m, "OnlineLinear", "Adaptive, normalized, importance-weight-aware linear regression of costs.")
        .def("__init__", [](OnlineLinear* self, std::size_t features, std::size_t actions, std::size_t lanes,
                            double learning_rate, const std::optional<std::string>& instruction_set) {
            new (self) OnlineLinear(features, actions, lanes, learning_rate, kernels_named(instruction_set));
        }, "features"_a, "actions"_a, "lanes"_a, "learning_rate"_a, "instruction_set"_a = nb::none())
        .def_prop_ro("scales", [](OnlineLinear& self) {
            return Numpy<float>(self.scales.data(), {self.inputs, self.actions, std::size_t(2), self.lanes});
        }, nb::rv_policy::reference_internal)
        .def_prop_ro("totals", [](OnlineLinear& self) {
            return Numpy<double>(self.totals.data(), {std::size_t(2), self.lanes});
        }, nb::rv_policy::reference_internal)
        .def("update", [](OnlineLinear& self, const Rows& rows, std::size_t i, std::size_t action, double cost,
                          Array<const double> lane_weights, Matrix<const float> scores, double probability) {
            Rows::Buffer buffer;
            require(action < self.actions && lane_weights.size() == self.lanes, "action or weights out of range");
            require(scores.shape(0) == self.actions && scores.shape(1) == self.lanes, "scores of another shape");
            const std::vector<float> importance = importance_of(lane_weights, probability);
            self.update(checked_row(self, rows, i, buffer), action, cost, importance.data(), scores.data());
        }, "rows"_a, "i"_a, "action"_a, "cost"_a, "lane_weights"_a, "scores"_a, "probability"_a = 1.0)
        .def("teach", [](OnlineLinear& self, const Rows& rows, const Costs& costs, Array<const double> lane_weights) {
            require(rows.features() + 1 == self.inputs, "number of features differs from the learner's");
            require(lane_weights.size() == self.lanes, "one weight for each lane");
            require(costs.size() == rows.size() && costs.fits(self.actions), "costs of another shape");
            const std::vector<float> importance = importance_of(lane_weights);
            nb::gil_scoped_release release;
            teach(self, rows, costs, importance.data());
        }, "rows"_a, "costs"_a, "lane_weights"_a);

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

    nb::class_<ProgressiveValidation>(m, "ProgressiveValidation")
        .def(nb::init<std::size_t>(), "lanes"_a)
        .def_prop_ro("sums", [](ProgressiveValidation& self) {
            return Numpy<double>(self.sums.data(), {self.sums.size()});
        }, nb::rv_policy::reference_internal)
        .def_rw("rounds", &ProgressiveValidation::rounds)
        .def_prop_rw("first", [](const ProgressiveValidation& self) { return self.first; },
                     [](ProgressiveValidation& self, std::size_t first) {
            require(first < self.sums.size(), "lane out of range");
            self.first = first;
        })
        .def_prop_ro("best", &ProgressiveValidation::best)
        .def("add", [](ProgressiveValidation& self, Array<const int32_t> greedy, std::size_t action, double cost,
                       double probability) {
            require(greedy.size() == self.sums.size(), "one greedy action for each lane");
            self.add(greedy.data(), action, cost, probability);
        }, "greedy"_a, "action"_a, "cost"_a, "probability"_a);

    nb::class_<EpsilonGreedy>(m, "EpsilonGreedy")
        .def(nb::init<double>(), "epsilon"_a)
        .def_ro("epsilon", &EpsilonGreedy::epsilon)
        .def("probabilities", [](const EpsilonGreedy& self, nb::ndarray<const float, nb::ndim<1>, nb::device::cpu> scores) {
            require(scores.shape(0) > 0, "no scores");
            auto probabilities = fresh_array<double>({scores.shape(0)});
            self.probabilities(scores.data(), scores.shape(0), static_cast<std::size_t>(scores.stride(0)), probabilities.data());
            return probabilities;
        }, "scores"_a);

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

    m.def("play_arrow", [](OnlineLinear& learner, ProgressiveValidation& selector, const EpsilonGreedy& explorer,
                           const Stream& random, const Rows& rows, const Costs& costs, std::size_t begin, std::size_t end,
                           uint64_t first_round, std::optional<Array<const double>> lane_weights, Array<int32_t> actions,
                           Array<double> probabilities, Array<double> paid, Array<int32_t> lanes) {
        require(selector.sums.size() == learner.lanes, "one score for each lane");
        require(!lane_weights || lane_weights->size() == learner.lanes, "one weight for each lane");
        play_checked(learner, selector, explorer, random, rows, costs, {begin, end, first_round},
                     lane_weights ? lane_weights->data() : nullptr,
                     {actions, probabilities, paid, lanes});
    }, "learner"_a, "selector"_a, "explorer"_a, "random"_a, "rows"_a, "costs"_a, "begin"_a, "end"_a, "first_round"_a,
       "lane_weights"_a.none(), "actions"_a, "probabilities"_a, "paid"_a, "lanes"_a);

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
