// Learners for Python.
#include "bindings.hpp"
#include "least_squares.hpp"
#include "online_linear.hpp"
#include "outcomes.hpp"
#include "recursive_least_squares.hpp"
#include "rounds.hpp"
#include "states.hpp"

namespace warmcb {
namespace {

std::vector<float> importance_of(const Learner& learner, const Array<const double>& weights, double probability = 1.0) {
    require(weights.size() == learner.lanes, "one weight for each lane");
    const double inverse = learner.weighs_by_propensity() ? inverse_propensity(probability) : 1.0;
    std::vector<float> importance(learner.lanes);
    for (std::size_t lane = 0; lane < learner.lanes; ++lane) importance[lane] = static_cast<float>(weights(lane) * inverse);
    return importance;
}

Row checked_row(const Predictor& predictor, const Rows& rows, std::size_t i, Rows::Buffer& buffer) {
    require(i < rows.size(), "row out of range");
    require_width(predictor, rows);
    return rows.gather(i, buffer);
}

// The weights of a model, as a view.
template <class Model> Numpy<float> weights_of(Model& model, std::size_t terms) {
    return Numpy<float>(model.weights.data(), {terms, model.actions, model.lanes});
}

}  // namespace

void bind_learners(nb::module_& m) {
    nb::class_<Predictor>(m, "Predictor", "Scores every action in every lane.")
        .def_ro("inputs", &Predictor::inputs, "The number of features, and one for the intercept.")
        .def_ro("actions", &Predictor::actions, "K.")
        .def_ro("lanes", &Predictor::lanes, "The number of lanes, which is that of λ.")
        .def("predict", [](const Predictor& self, const Rows& rows, std::size_t i) {
            Rows::Buffer buffer;
            auto scores = fresh_array<float>({self.actions, self.lanes});
            self.predict(checked_row(self, rows, i, buffer), scores.data());
            return scores;
        }, "rows"_a, "i"_a, "The scores of row i, actions by lanes.")
        .def("greedy", [](const Predictor& self, Matrix<const float> scores) {
            require(scores.shape(0) == self.actions && scores.shape(1) == self.lanes, "scores of another shape");
            auto best = fresh_array<int32_t>({self.lanes});
            self.greedy(scores.data(), best.data());
            return best;
        }, "scores"_a, "The lowest-scored action of each lane, the first among equals.")
        .def("predict_actions", [](const Predictor& self, const Rows& rows, const Mask& mask) {
            require_width(self, rows);
            require_mask(mask, rows.size(), self.actions);
            auto actions = fresh_array<int32_t>({rows.size(), self.lanes});
            nb::gil_scoped_release release;
            Scratch& scratch = Scratch::of_this_thread(self.actions, self.lanes);
            for (std::size_t i = 0; i < rows.size(); ++i) {
                look(self, rows.gather(i, scratch.row), mask_row(mask, i), scratch);
                self.greedy(scratch.scores.data(), scratch.greedy.data());
                std::copy(scratch.greedy.begin(), scratch.greedy.end(), actions.data() + i * self.lanes);
            }
            return actions;
        }, "rows"_a, "mask"_a = nb::none(), "The lowest-scored action of each lane in every row: rows by lanes.")
        .def("predict_costs", [](const Predictor& self, const Rows& rows, std::size_t lane) {
            require_width(self, rows);
            require(lane < self.lanes, "lane out of range");
            auto costs = fresh_array<double>({rows.size(), self.actions});
            nb::gil_scoped_release release;
            Scratch& scratch = Scratch::of_this_thread(self.actions, self.lanes);
            for (std::size_t i = 0; i < rows.size(); ++i) {
                self.predict(rows.gather(i, scratch.row), scratch.scores.data());
                for (std::size_t a = 0; a < self.actions; ++a)
                    costs.data()[i * self.actions + a] = scratch.scores[a * self.lanes + lane];
            }
            return costs;
        }, "rows"_a, "lane"_a, "What one lane scores every action in every row: rows by actions.");

    nb::class_<Learner, Predictor>(m, "Learner", "Learns from rounds.")
        .def_prop_ro("weighs_by_propensity", &Learner::weighs_by_propensity, "Whether 1/p is a factor of a round's weight.")
        .def("update", [](Learner& self, const Rows& rows, std::size_t i, nb::handle outcome, Array<const double> weights) {
            Rows::Buffer buffer;
            const OutcomeArrays arrays(outcome);
            const Outcome round = arrays.outcome();
            require(round.actions == self.actions && round.lanes == self.lanes, "scores of another shape");
            const std::vector<float> importance = importance_of(self, weights, round.probability);
            self.update(checked_row(self, rows, i, buffer), round, importance.data());
        }, "rows"_a, "i"_a, "outcome"_a, "weights"_a, "Learn what became of the round in row i; a weight for each lane.")
        .def("snapshot", &Learner::snapshot, "What it predicts now, for ever.");

    nb::class_<WarmLearner, Learner>(m, "WarmLearner", "Learns from labelled examples, too.")
        .def("teach", [](WarmLearner& self, const Rows& rows, const Costs& costs, Array<const double> weights) {
            require_width(self, rows);
            require(costs.size() == rows.size() && costs.fits(self.actions), "costs of another shape");
            const std::vector<float> importance = importance_of(self, weights);
            nb::gil_scoped_release release;
            teach(self, rows, costs, importance.data());
        }, "rows"_a, "costs"_a, "weights"_a, "Learn the known costs of every row; a weight for each lane.")
        .def("add_action", &WarmLearner::add_action, "Make room for one action more, of which nothing is known.");

    nb::class_<OnlineLinear, WarmLearner>(m, "OnlineLinear",
                                          "Adaptive, normalized, importance-weight-aware linear regression of costs.")
        .def("__init__", [](OnlineLinear* self, std::size_t features, std::size_t actions, std::size_t lanes,
                            double learning_rate, const std::optional<std::string>& instruction_set) {
            new (self) OnlineLinear(features, actions, lanes, learning_rate, kernels_named(instruction_set));
        }, "features"_a, "actions"_a, "lanes"_a, "learning_rate"_a, "instruction_set"_a = nb::none())
        .def_prop_ro("description", [](const OnlineLinear&) { return "online"; }, "What it is, in a few words.")
        .def_prop_ro("weights", [](OnlineLinear& self) { return weights_of(self, self.inputs); },
                     nb::rv_policy::reference_internal, "Inputs × actions × lanes.")
        .def_prop_ro("scales", [](OnlineLinear& self) {
            return Numpy<float>(self.scales.data(), {self.inputs, self.actions, std::size_t(2), self.lanes});
        }, nb::rv_policy::reference_internal, "G/s² and 1/s of each weight (docs/learner.md).")
        .def_prop_ro("totals", [](OnlineLinear& self) {
            return Numpy<double>(self.totals.data(), {std::size_t(2), self.lanes});
        }, nb::rv_policy::reference_internal, "T and N of each lane (docs/learner.md).")
        .def("state", [](const OnlineLinear& self) { return state_of(self); }, "Everything that it has learned, as arrays by name.")
        .def("restore", [](OnlineLinear& self, const nb::dict& state) { restore(self, state); }, "state"_a, "The reverse, into one that has learned nothing.");

    nb::class_<RecursiveLeastSquares, WarmLearner>(m, "RecursiveLeastSquares",
                                                   "Least squares of costs, exact after each example.")
        .def("__init__", [](RecursiveLeastSquares* self, std::size_t features, std::size_t actions, std::size_t lanes,
                            std::size_t widest, std::size_t block, bool squares, double ridge, double first_guess,
                            double largest, double wild, uint64_t settled_at,
                            const std::optional<std::string>& instruction_set) {
            require(block > 0, "a block of at least one term");
            const RecursiveLeastSquares::Options options{widest, block, squares, ridge, first_guess,
                                                         {largest, wild, settled_at}};
            new (self) RecursiveLeastSquares(features, actions, lanes, options, kernels_named(instruction_set));
        }, "features"_a, "actions"_a, "lanes"_a, "widest"_a, "block"_a, "squares"_a, "ridge"_a = 10.0, "first_guess"_a = 0.5,
           "largest"_a = 5.0, "wild"_a = 10.0, "settled_at"_a = 64, "instruction_set"_a = nb::none())
        .def_prop_ro("description", [](const RecursiveLeastSquares& self) {
            const std::string terms = "least squares, " + std::to_string(self.terms()) + " terms";
            return self.is_whole() ? terms : terms + " in blocks of " + std::to_string(self.block);
        }, "What it is, in a few words.")
        .def_prop_ro("weights", [](RecursiveLeastSquares& self) { return weights_of(self, self.terms()); },
                     nb::rv_policy::reference_internal, "Terms × actions × lanes.")
        .def_ro("block", &RecursiveLeastSquares::block, "The number of terms that hang together; 0: all of them.")
        .def_prop_ro("squared", [](const RecursiveLeastSquares& self) { return copy_of(self.squared()); },
                     nb::rv_policy::move, "The features whose squares are terms.")
        .def("state", [](const RecursiveLeastSquares& self) { return state_of(self); }, "Everything that it has learned, as arrays by name.")
        .def("restore", [](RecursiveLeastSquares& self, const nb::dict& state) { restore(self, state); }, "state"_a, "The reverse, into one that has learned nothing.");

    nb::class_<LeastSquares, Learner>(m, "LeastSquares", "Normal equations of each action, and the weights that solve them.")
        .def("__init__", [](LeastSquares* self, std::size_t features, std::size_t actions, std::size_t lanes) {
            new (self) LeastSquares(features, actions, lanes, kernels_named(std::nullopt));
        }, "features"_a, "actions"_a, "lanes"_a)
        .def_prop_ro("weights", [](LeastSquares& self) { return weights_of(self, self.inputs); },
                     nb::rv_policy::reference_internal, "Inputs × actions × lanes.")
        .def_prop_ro("gram", [](LeastSquares& self) {
            return Numpy<double>(self.gram.data(), {self.actions, self.inputs, self.inputs});
        }, nb::rv_policy::reference_internal, "Σ h·x·xᵀ of each action.")
        .def("add", [](LeastSquares& self, const Rows& rows, std::size_t i, std::size_t action, double cost,
                       double probability) {
            Rows::Buffer buffer;
            require(action < self.actions, "action out of range");
            const float weight = static_cast<float>(inverse_propensity(probability));
            self.add(checked_row(self, rows, i, buffer), action, cost, weight);
        }, "rows"_a, "i"_a, "action"_a, "cost"_a, "probability"_a, "Add a round to the equations.")
        .def_prop_ro("moment", [](LeastSquares& self) {
            return Numpy<double>(self.moment.data(), {self.actions, self.inputs});
        }, nb::rv_policy::reference_internal, "Σ h·cost·x of each action.");

    nb::class_<LinearModel, Predictor>(m, "LinearModel", "A linear model that learns no more.")
        .def("state", [](const LinearModel& self) { return state_of(self); }, "Everything that it has learned, as arrays by name.");
    nb::class_<StandardisedModel, Predictor>(m, "StandardisedModel", "A model of standardised features that learns no more.")
        .def("state", [](const StandardisedModel& self) { return state_of(self); }, "Everything that it has learned, as arrays by name.");
    m.def("thaw", &thaw, "state"_a, "A model that learns no more, from its state.");
}

}  // namespace warmcb
