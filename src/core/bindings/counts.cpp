// Trial, Optimism and CostUnit for Python.
#include "bindings/bindings.hpp"
#include "states/counts.hpp"

namespace warmcb {

void bind_counts(nb::module_& m) {
    nb::class_<Trial>(m, "Trial", "Trials of new actions.")
        .def("__init__", [](Trial* self, std::size_t actions, uint32_t length, double share) {
            new (self) Trial(actions, length, share);
        }, "actions"_a, "length"_a, "share"_a)
        .def("widened", &Trial::widened, "bound"_a, "round"_a,
             "An upper bound on 1/p in this round, if that of the explorer alone is `bound`.")
        .def("mix", [](const Trial& self, Array<const uint8_t> allowed, Array<double> probabilities) {
            const std::size_t actions = self.added.size();
            require(allowed.size() == actions && probabilities.size() == actions, "one mark for each action");
            std::vector<float> marks(actions);  // `mix` needs only to know which actions are allowed
            for (std::size_t a = 0; a < actions; ++a) marks[a] = allowed(a) ? 0 : not_allowed;
            return self.mix({marks.data(), actions, 1, nullptr, nullptr, 0, 0, 0}, probabilities.data());
        }, "allowed"_a, "probabilities"_a, "Give new actions their share, in place, and return what the others get.")
        .def_prop_ro("tried", [](const Trial& self) {
            std::vector<uint8_t> tried(self.added.size());
            for (std::size_t a = 0; a < tried.size(); ++a) tried[a] = self.tries(a);
            return as_array(std::move(tried));
        }, nb::rv_policy::move, "For each action, whether it is on trial.")
        .def_prop_ro("doubts", [](const Trial& self) {
            std::vector<float> doubts(self.added.size());
            for (std::size_t a = 0; a < doubts.size(); ++a) doubts[a] = self.doubt(a);
            return as_array(std::move(doubts));
        }, nb::rv_policy::move, "The bonus of each action, which is subtracted from its scores.")
        .def("add_action", &Trial::add_action, "now"_a, "Add a new action.")
        .def("count", [](Trial& self, std::size_t action, uint64_t now) {
            require(action < self.learned.size(), "action out of range");
            self.count(action, now);
        }, "action"_a, "now"_a, "Count a round in which the action was learned.")
        .def("state", [](const Trial& self) { return state_of(self); },
             "Which actions are new, and how often they were learned.")
        .def("restore", [](Trial& self, const State& state) { restore(self, state); }, "state"_a,
             "Restore what `state` gave.")
        .def("snapshot", [](const Trial& self) { return Trial(self); }, "A copy, as it is now.");

    nb::class_<Optimism>(m, "Optimism", "Bonuses for actions that were rarely played lately.")
        .def("__init__", [](Optimism* self, std::size_t actions, double strength, double half_life) {
            new (self) Optimism(actions, strength, half_life);
        }, "actions"_a, "strength"_a, "half_life"_a)
        .def_prop_ro("bonuses", [](const Optimism& self) {
            std::vector<float> bonuses(self.counts.size());
            for (std::size_t a = 0; self.has_any() && a < bonuses.size(); ++a) bonuses[a] = self.bonus(a);
            return as_array(std::move(bonuses));
        }, nb::rv_policy::move, "The bonus of each action, which is subtracted from its scores.")
        .def_prop_ro("share", &Optimism::share, "The share of the decisions in which the bonuses count.")
        .def("widened", &Optimism::widened, "bound"_a,
             "An upper bound on 1/p, if that of the explorer without bonuses is `bound`.")
        .def("wait", &Optimism::wait, "age"_a, "Note how many rounds a cost was late.")
        .def("add_action", &Optimism::add_action, "Add a new action.")
        .def("add", [](Optimism& self, std::size_t action) {
            require(action < self.counts.size(), "action out of range");
            self.add(action);
        }, "action"_a, "Count a round in which the action was learned.")
        .def("state", [](const Optimism& self) { return state_of(self); },
             "Everything that it has counted, as arrays by name.")
        .def("restore", [](Optimism& self, const State& state) { restore(self, state); }, "state"_a,
             "Restore what `state` gave.")
        .def("snapshot", [](const Optimism& self) { return Optimism(self); }, "A copy, as it is now.");

    nb::class_<CostUnit>(m, "CostUnit", "Costs on a scale from about 0 to 1.")
        .def("__init__", [](CostUnit* self, const std::optional<std::tuple<double, double>>& range) {
            if (range) new (self) CostUnit(std::get<0>(*range), std::get<1>(*range));
            else new (self) CostUnit();
        }, "range"_a.none())
        .def_prop_ro("fixed", &CostUnit::fixed, "Whether the range was given.")
        .def_prop_ro("varied", &CostUnit::varied, "Whether the range was given, or not all costs were equal.")
        .def_ro("low", &CostUnit::low, "The cost that counts as 0.")
        .def_ro("width", &CostUnit::width,
                "The difference between the cost that counts as 1 and the one that counts as 0.")
        .def_ro("mean", &CostUnit::mean, "The mean of all costs.")
        .def_ro("seen", &CostUnit::seen, "The number of costs.")
        .def("see", [](CostUnit& self, double cost) -> std::optional<std::tuple<double, double>> {
            const auto change = self.see(cost);
            if (!change) return std::nullopt;
            return std::make_tuple(change->a, change->b);
        }, "cost"_a, "Count a cost. If the unit changes, return (a, b): u has become a·u + b.")
        .def("unit", &CostUnit::unit, "cost"_a, "A cost on this scale.")
        .def("state", [](const CostUnit& self) { return state_of(self); },
             "Everything that it knows about costs, as arrays by name.")
        .def("restore", [](CostUnit& self, const State& state) { restore(self, state); }, "state"_a,
             "Restore what `state` gave.")
        .def("snapshot", [](const CostUnit& self) { return CostUnit(self); }, "A copy, as it is now.");
}

}  // namespace warmcb
