// Learners for Python.
#include "bindings/bindings.hpp"
#include "learners/least_squares.hpp"
#include "states/frozen.hpp"
#include "states/recursive_least_squares.hpp"
#include "learners/online_linear.hpp"
#include "bindings/outcomes.hpp"
#include "rounds/runs.hpp"

namespace warmcb {
namespace {

std::vector<float> importance_of(const Learner& learner, const Array<const double>& weights, double probability = 1.0) {
    require(weights.size() == learner.lanes, "one weight for each lane");
    const double inverse = learner.weighs_by_propensity() ? inverse_propensity(probability) : 1.0;
    std::vector<float> importance(learner.lanes);
    for (std::size_t lane = 0; lane < learner.lanes; ++lane)
        importance[lane] = static_cast<float>(weights(lane) * inverse);
    return importance;
}

Row checked_row(const Predictor& predictor, const Rows& rows, std::size_t i, Rows::Buffer& buffer) {
    require(i < rows.size(), "row out of range");
    require_width(predictor, rows);
    return rows.gather(i, buffer);
}

std::vector<std::pair<std::vector<int64_t>, double>> in_pairs(std::vector<Contribution>&& contributions) {
    std::vector<std::pair<std::vector<int64_t>, double>> pairs;
    for (Contribution& one : contributions) pairs.emplace_back(std::move(one.sources), one.amount);
    return pairs;
}

// The weights of a model, as a view.
template <class Model> Numpy<float> weights_of(Model& model, std::size_t terms) {
    return Numpy<float>(model.weights.data(), {terms, model.actions, model.lanes});
}

// Copies of the weights of the nested models.
nb::list weights_of(const NestedWeights& nested) {
    nb::list models;
    for (std::size_t model = 0; model < nested.models(); ++model) {
        auto weights = fresh_array<float>({nested.sizes[model], nested.actions, nested.lanes});
        std::copy_n(nested.at(model, 0, 0), weights.size(), weights.data());
        models.append(weights);
    }
    return models;
}

}  // namespace

void bind_learners(nb::module_& m) {
    nb::class_<Predictor>(m, "Predictor", "Predicts the cost of every action in every lane.")
        .def_ro("inputs", &Predictor::inputs, "The number of features, and one for the intercept.")
        .def_ro("actions", &Predictor::actions, "K.")
        .def_ro("lanes", &Predictor::lanes, "The number of lanes: one for each λ.")
        .def("memory", [](const Predictor& self, std::size_t lane) {
            require(lane < self.lanes, "lane out of range");
            return self.memory(lane);
        }, "lane"_a, "The number of rounds behind the predictions of a lane; infinity for all rounds.")
        .def("predict", [](const Predictor& self, const Rows& rows, std::size_t i) {
            Rows::Buffer buffer;
            auto scores = fresh_array<float>({self.actions, self.lanes});
            self.predict(checked_row(self, rows, i, buffer), scores.data());
            return scores;
        }, "rows"_a, "i"_a, "The scores of row i, actions by lanes.")
        .def("predict_described", [](const Predictor& self, const Pairing& pairing, const Offers& offers,
                                     std::size_t i) {
            require_offer(self, pairing, offers, i);
            const DescribedOffer offer(pairing, offers, i);
            auto scores = fresh_array<float>({offer.actions(), self.lanes});
            offer.predict(self, scores.data());
            return scores;
        }, "pairing"_a, "offers"_a, "i"_a, "The scores of the actions of offer i, actions by lanes.")
        .def("explain", [](const Predictor& self, const Rows& rows, std::size_t i, std::size_t action,
                           std::size_t lane) {
            require(action < self.actions && lane < self.lanes, "action or lane out of range");
            Rows::Buffer buffer;
            return in_pairs(self.explain(checked_row(self, rows, i, buffer), action, lane));
        }, "rows"_a, "i"_a, "action"_a, "lane"_a,
           "The features of each term and its contribution to a score of row i; -1 stands for the predictions of "
           "labels.")
        .def("explain_described", [](const Predictor& self, const Pairing& pairing, const Offers& offers, std::size_t i,
                                     std::size_t action, std::size_t lane) {
            require_offer(self, pairing, offers, i);
            require(action < offers.count(i) && lane < self.lanes, "action or lane out of range");
            return in_pairs(DescribedOffer(pairing, offers, i).explain(self, action, lane));
        }, "pairing"_a, "offers"_a, "i"_a, "action"_a, "lane"_a,
           "The same for offer i. Features of contexts come before those of actions; -2 stands for the identity of the "
           "action.")
        .def("greedy", [](const Predictor& self, Matrix<const float> scores) {
            require(scores.shape(0) == self.actions && scores.shape(1) == self.lanes, "scores of another shape");
            auto best = fresh_array<int32_t>({self.lanes});
            self.greedy(scores.data(), self.actions, best.data());
            return best;
        }, "scores"_a, "For each lane the first action with the lowest score.")
        .def("predict_actions", [](const Predictor& self, const Rows& rows, const Mask& mask) {
            require_width(self, rows);
            require_mask(mask, rows.size(), self.actions);
            auto actions = fresh_array<int32_t>({rows.size(), self.lanes});
            nb::gil_scoped_release release;
            Scratch& scratch = Scratch::of_this_thread(self.actions, self.lanes);
            for (std::size_t i = 0; i < rows.size(); ++i) {
                NumberedOffer(rows.gather(i, scratch.row), mask_row(mask, i), self.actions)
                    .predict(self, scratch.scores.data());
                self.greedy(scratch.scores.data(), self.actions, scratch.greedy.data());
                std::copy(scratch.greedy.begin(), scratch.greedy.end(), actions.data() + i * self.lanes);
            }
            return actions;
        }, "rows"_a, "mask"_a = nb::none(), "For each row and lane the action with the lowest score: rows by lanes.")
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
        }, "rows"_a, "lane"_a, "The scores of one lane in every row: rows by actions.");

    nb::class_<Learner, Predictor>(m, "Learner", "Learns from rounds.")
        .def_prop_ro("weighs_by_propensity", &Learner::weighs_by_propensity,
                     "Whether the weight of a round has the factor 1/p.")
        .def("update", [](Learner& self, const Rows& rows, std::size_t i, nb::handle outcome,
                          Array<const double> weights) {
            Rows::Buffer buffer;
            const OutcomeArrays arrays(outcome);
            const Outcome round = arrays.outcome();
            require(round.actions == self.actions && round.lanes == self.lanes, "scores of another shape");
            const std::vector<float> importance = importance_of(self, weights, round.probability);
            self.update(checked_row(self, rows, i, buffer), round, importance.data());
        }, "rows"_a, "i"_a, "outcome"_a, "weights"_a,
           "Learn the outcome of a round in row i, with a weight for each lane.")
        .def("update_described", [](Learner& self, const Pairing& pairing, const Offers& offers, std::size_t i,
                                    nb::handle outcome, Array<const double> weights) {
            require_offer(self, pairing, offers, i);
            const OutcomeArrays arrays(outcome);
            const Outcome round = arrays.outcome();
            require(round.actions == offers.count(i) && round.lanes == self.lanes, "scores of another shape");
            const DescribedOffer offer(pairing, offers, i);
            std::vector<float> importance = importance_of(self, weights);
            if (self.weighs_by_propensity())
                for (std::size_t lane = 0; lane < self.lanes; ++lane)
                    importance[lane] = static_cast<float>(weights(lane) * offer.inverse(round.probability));
            offer.update(self, round, importance.data());
        }, "pairing"_a, "offers"_a, "i"_a, "outcome"_a, "weights"_a,
           "Learn the outcome of offer i, with a weight for each lane.")
        .def("rescale", &Learner::rescale, "a"_a, "b"_a, "The unit of costs has changed: `cost` has become a·cost + b.")
        .def_prop_ro("changes", &Learner::changes, "How often it has detected a change of the environment.")
        .def("snapshot", &Learner::snapshot, "A copy that predicts as it does now, and does not learn.");

    nb::class_<WarmLearner, Learner>(m, "WarmLearner", "Also learns from labelled examples.")
        .def("teach", [](WarmLearner& self, const Rows& rows, const Costs& costs, Array<const double> weights) {
            require_width(self, rows);
            require(costs.size() == rows.size() && costs.fits(self.actions), "costs of another shape");
            const std::vector<float> importance = importance_of(self, weights);
            nb::gil_scoped_release release;
            teach(self, rows, costs, importance.data());
        }, "rows"_a, "costs"_a, "weights"_a, "Learn the known costs of every row, with a weight for each lane.")
        .def("teach_described", [](WarmLearner& self, const Pairing& pairing, const Offers& offers,
                                   Array<const double> costs, Array<const double> weights) {
            require_offers(self, pairing, offers);
            require(costs.size() == offers.total(), "costs of another shape");
            const std::vector<float> importance = importance_of(self, weights);
            nb::gil_scoped_release release;
            for (std::size_t i = 0; i < offers.size(); ++i)
                DescribedOffer(pairing, offers, i).teach(self, costs.data() + offers.begin(i), importance.data());
        }, "pairing"_a, "offers"_a, "costs"_a, "weights"_a,
           "Learn the known costs of every offer, with a weight for each lane.")
        .def("add_action", &WarmLearner::add_action, "Add an action.")
        .def("with_lanes", [](const WarmLearner& self, const std::vector<int64_t>& origins) {
            return self.with_lanes(checked_origins(origins, self.lanes));
        }, "origins"_a, "The same with other lanes: copies of the lanes in `origins`; -1 for a new lane.");

    nb::class_<OnlineLinear, WarmLearner>(m, "OnlineLinear",
                                          "Adaptive, normalized, importance-weight-aware linear regression of costs.")
        .def("__init__", [](OnlineLinear* self, std::size_t features, std::size_t actions, std::size_t lanes,
                            double learning_rate, const std::optional<std::string>& instruction_set) {
            new (self) OnlineLinear(features, actions, lanes, learning_rate, kernels_named(instruction_set));
        }, "features"_a, "actions"_a, "lanes"_a, "learning_rate"_a, "instruction_set"_a = nb::none())
        .def_prop_ro("description", [](const OnlineLinear&) { return "online"; }, "A short description.")
        .def_prop_ro("weights", [](OnlineLinear& self) { return weights_of(self, self.inputs); },
                     nb::rv_policy::reference_internal, "Inputs × actions × lanes.")
        .def_prop_ro("scales", [](OnlineLinear& self) {
            return Numpy<float>(self.scales.data(), {self.inputs, self.actions, std::size_t(2), self.lanes});
        }, nb::rv_policy::reference_internal, "G/s² and 1/s of each weight (docs/internals/learner.md).")
        .def_prop_ro("totals", [](OnlineLinear& self) {
            return Numpy<double>(self.totals.data(), {std::size_t(2), self.lanes});
        }, nb::rv_policy::reference_internal, "T and N of each lane (docs/internals/learner.md).")
        .def("state", [](const OnlineLinear& self) { return state_of(self); },
             "Everything that it has learned, as arrays by name.")
        .def("restore", [](OnlineLinear& self, const State& state) { restore(self, state); }, "state"_a,
             "Restore what `state` gave, into a part that has learned nothing.");

    nb::class_<RecursiveLeastSquares, WarmLearner>(m, "RecursiveLeastSquares",
                                                   "Recursive least squares of costs, with nonlinear terms, translated "
                                                   "labels and several memories.")
        .def("__init__", [](RecursiveLeastSquares* self, std::size_t features, std::size_t actions, std::size_t lanes,
                            std::optional<std::size_t> contexts, bool crosses, std::size_t widest, bool squares,
                            std::size_t bends, std::size_t translations, std::size_t products, double ridge,
                            double intercept_ridge, double cross_ridge, double bend_ridge,
                            double identity_ridge, std::size_t most_identities, double first_guess, uint64_t settled_at,
                            double half_life, const std::vector<double>& memories, double rate, double size_rate,
                            double share, double patience, double largest,
                            double wild, const std::optional<std::string>& instruction_set) {
            require(!contexts || (*contexts <= features && actions == 1),
                    "rows that describe actions have one regressor");
            const RecursiveLeastSquares::Options options{
                .contexts = contexts.value_or(RecursiveLeastSquares::not_described),
                .crosses = crosses,
                .widest = widest,
                .squares = squares,
                .bends = bends,
                .translations = translations,
                .products = products,
                .ridge = ridge,
                .intercept_ridge = intercept_ridge,
                .cross_ridge = cross_ridge,
                .bend_ridge = bend_ridge,
                .first_guess = first_guess,
                .settled_at = settled_at,
                .half_life = half_life,
                .units = {largest, wild},
                .memories = {memories, rate, size_rate, share, patience},
                .identities = {identity_ridge, most_identities}};
            new (self) RecursiveLeastSquares(features, actions, lanes, options, kernels_named(instruction_set));
        }, "features"_a, "actions"_a, "lanes"_a, "contexts"_a.none(), "crosses"_a, "widest"_a, "squares"_a, "bends"_a,
           "translations"_a, "products"_a, "ridge"_a, "intercept_ridge"_a, "cross_ridge"_a, "bend_ridge"_a,
           "identity_ridge"_a, "most_identities"_a, "first_guess"_a, "settled_at"_a, "half_life"_a, "memories"_a,
           "rate"_a, "size_rate"_a, "share"_a, "patience"_a, "largest"_a, "wild"_a, "instruction_set"_a = nb::none())
        .def_prop_ro("description", [](const RecursiveLeastSquares& self) {
            const std::string terms = "least squares, " + std::to_string(self.terms.size()) + " terms";
            const std::string whose = self.describes() ? ", for all actions" : "";
            if (!self.is_whole()) return terms + " in blocks of " + std::to_string(tile) + whose;
            if (!self.bends()) return terms + whose;
            return terms + ", " + std::to_string(self.terms.bends.size()) + " of them bends" + whose;
        }, "A short description.")
        .def_prop_ro("models", [](const RecursiveLeastSquares& self) { return weights_of(self.models.weights); },
                     nb::sig("def models(self) -> list[NDArray[numpy.float32]]"),
                     "The weights of the nested models, the smallest first: terms × actions × lanes, memories last.")
        .def_prop_ro("mixture", [](const RecursiveLeastSquares& self) {
            auto mixture = fresh_array<double>({self.lanes, self.memories.experts()});
            std::copy(self.memories.mixture.begin(), self.memories.mixture.end(), mixture.data());
            return mixture;
        }, nb::rv_policy::move, "For each lane the weight of each forecast: its own models, then the memories.")
        .def_prop_ro("renewals", [](const RecursiveLeastSquares& self) { return self.terms.units.renewals; },
                     "How often units of features were renewed because values had left their range.")
        .def("terms", [](const RecursiveLeastSquares& self, const Rows& rows, std::size_t i, bool translate) {
            Rows::Buffer buffer;
            const Row phi = self.terms.expand(checked_row(self, rows, i, buffer), translate);
            auto dense = fresh_array<float>({self.terms.size()});
            std::fill_n(dense.data(), self.terms.size(), 0.0f);
            for (std::size_t k = 0; k < phi.size; ++k) dense.data()[phi.index[k]] = phi.value[k];
            return dense;
        }, "rows"_a, "i"_a, "translate"_a = true, "The terms of row i.")
        .def("state", [](const RecursiveLeastSquares& self) { return state_of(self); },
             "Everything that it has learned, as arrays by name.")
        .def("restore", [](RecursiveLeastSquares& self, const State& state) { restore(self, state); }, "state"_a,
             "Restore what `state` gave, into a part that has learned nothing.");

    nb::class_<LeastSquares, Learner>(m, "LeastSquares",
                                      "Normal equations of each action, and the weights that solve them.")
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

    nb::class_<LinearModel, Predictor>(m, "LinearModel", "A linear model that does not learn.")
        .def("state", [](const LinearModel& self) { return state_of(self); },
             "Everything that it has learned, as arrays by name.");
    nb::class_<MixedModel, Predictor>(m, "MixedModel", "A mixture of least-squares models that does not learn.")
        .def("state", [](const MixedModel& self) { return state_of(self); },
             "Everything that it has learned, as arrays by name.");
    m.def("thaw", &thaw, "state"_a, "Make a model that does not learn from its state.");
}

}  // namespace warmcb
