// Selectors for Python.
#include "bindings/bindings.hpp"
#include "bindings/outcomes.hpp"
#include "selectors/fixed_lane.hpp"
#include "states/selectors.hpp"

namespace warmcb {
namespace {

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
template <class Kind> nb::class_<Kind, Selector> bind_selector(nb::module_& m, const char* name, const char* doc) {
    return nb::class_<Kind, Selector>(m, name, doc)
        .def_prop_ro("sums", [](Kind& self) {
            return Numpy<double>(self.sums.data(), {self.sums.size()});
        }, nb::rv_policy::reference_internal, "What each lane was charged.")
        .def_ro("rounds", &Kind::rounds, "How many rounds are behind the scores.")
        .def_prop_ro("scores", [](const Kind& self) {
            std::vector<double> scores(self.sums.size());
            for (std::size_t lane = 0; lane < scores.size(); ++lane) scores[lane] = self.score(lane);
            return as_array(std::move(scores));
        }, nb::rv_policy::move, "What each lane is thought to cost.")
        .def("admit", [](Kind& self, std::size_t first) {
            require(first < self.sums.size(), "lane out of range");
            self.admit(first);
        }, "first"_a, "Let the lanes from this one on take part.")
        .def_prop_ro("eligible", [](const Kind& self) {
            auto eligible = fresh_array<uint8_t>({self.sums.size()});
            self.mark_eligible(eligible.data(), self.sums.size());
            return eligible;
        }, nb::rv_policy::move, "For each lane 1 if its actions are worth exploring.")
        .def("with_lanes", [](const Kind& self, const std::vector<int64_t>& origins) {
            return std::make_unique<Kind>(self.with_lanes(checked_origins(origins, self.sums.size())));
        }, "origins"_a, "The same with other lanes, each a copy of the one that is named here; -1: on equal terms with the best.")
        .def("forget", [](Kind& self) { self.forget(); }, "The world has changed: what was is no evidence of what will be.")
        .def("add", [](Kind& self, nb::handle outcome) {
            const OutcomeArrays arrays(outcome);
            require(arrays.greedy.size() == self.sums.size(), "one greedy action for each lane");
            self.add(arrays.outcome());
        }, "outcome"_a, "Score the lanes by what became of a round.")
        .def("snapshot", [](const Kind& self) { return std::make_unique<Kind>(self); }, "A copy, as it is now.")
        .def("state", [](const Kind& self) { return state_of(self); }, "Everything that it has learned, as arrays by name.")
        .def("restore", [](Kind& self, const State& state) { restore(self, state); }, "state"_a, "The reverse, into one that has learned nothing.");
}

}  // namespace

void bind_selectors(nb::module_& m) {
    nb::class_<Selector>(m, "Selector", "Says which lane is in charge.")
        .def_prop_ro("best", &Selector::best, "The lane in charge.");

    bind_selector<ProgressiveValidation>(m, "ProgressiveValidation", "Line 7 of Algorithm 1: sums of cost/p.")
        .def(nb::init<std::size_t>(), "lanes"_a)
        .def_prop_ro("dropped", [](const ProgressiveValidation& self) {
            return fresh_array<uint8_t>({self.sums.size()});
        }, nb::rv_policy::move, "None is out for good.")
        .def_prop_ro("intervals", [](const ProgressiveValidation& self) {
            auto intervals = fresh_array<double>({self.sums.size(), std::size_t(2)});
            for (std::size_t i = 0; i < 2 * self.sums.size(); ++i) intervals.data()[i] = i % 2 ? 1.0 : -1.0;
            return intervals;
        }, nb::rv_policy::move, "Nothing is known: from −1 to 1.");

    bind_selector<Contest>(m, "Contest", "Lanes compared by a rule beside the paper's; surely worse ones drop out.")
        .def("__init__", [](Contest* self, std::size_t lanes, const std::string& rule, double contention,
                            double error_weight, double error) {
            require(lanes > 0, "at least one lane");
            new (self) Contest(lanes, rule_named(rule), contention, error_weight, error);
        }, "lanes"_a, "rule"_a, "contention"_a = 10.0, "error_weight"_a = 3.0, "error"_a = 0.05)
        .def_prop_ro("dropped", [](const Contest& self) { return copy_of(self.dropped); }, nb::rv_policy::move,
                     "For each lane 1 if it is out for good.")
        .def_prop_ro("intervals", [](const Contest& self) {
            auto intervals = fresh_array<double>({self.sums.size(), std::size_t(2)});
            for (std::size_t lane = 0; lane < self.sums.size(); ++lane)
                std::tie(intervals.data()[2 * lane], intervals.data()[2 * lane + 1]) = self.evidence.interval(lane);
            return intervals;
        }, nb::rv_policy::move, "How much more each lane has cost than the last one, from … to.")
        .def("merge", [](Contest& self, const Contest& other) {
            require(self.sums.size() == other.sums.size(), "another number of lanes");
            self.merge(other);
        }, "other"_a, "Add what another contest of the same lanes has seen.");

    nb::class_<FixedLane, Selector>(m, "FixedLane", "A lane that somebody else has chosen.")
        .def("__init__", [](FixedLane* self, std::size_t lane, std::size_t lanes) {
            require(lane < lanes, "lane out of range");
            new (self) FixedLane(lane, lanes);
        }, "lane"_a, "lanes"_a);
}

}  // namespace warmcb
