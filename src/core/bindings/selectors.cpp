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

// What both selectors share.
template <class Kind> nb::class_<Kind, Selector> bind_selector(nb::module_& m, const char* name, const char* doc) {
    return nb::class_<Kind, Selector>(m, name, doc)
        .def_prop_ro("sums", [](Kind& self) {
            return Numpy<double>(self.sums.data(), {self.sums.size()});
        }, nb::rv_policy::reference_internal, "The charge of each lane.")
        .def_ro("rounds", &Kind::rounds, "The number of rounds behind the scores.")
        .def_prop_ro("scores", [](const Kind& self) {
            std::vector<double> scores(self.sums.size());
            for (std::size_t lane = 0; lane < scores.size(); ++lane) scores[lane] = self.score(lane);
            return as_array(std::move(scores));
        }, nb::rv_policy::move, "The estimated cost of each lane.")
        .def("admit", [](Kind& self, std::size_t first) {
            require(first < self.sums.size(), "lane out of range");
            self.admit(first);
        }, "first"_a, "Let the lanes from this one on take part.")
        .def_prop_ro("eligible", [](const Kind& self) {
            auto eligible = fresh_array<uint8_t>({self.sums.size()});
            self.mark_eligible(eligible.data(), self.sums.size());
            return eligible;
        }, nb::rv_policy::move, "For each lane 1 if its actions are explored.")
        .def("with_lanes", [](const Kind& self, const std::vector<int64_t>& origins) {
            return std::make_unique<Kind>(self.with_lanes(checked_origins(origins, self.sums.size())));
        }, "origins"_a,
           "The same with other lanes: copies of the lanes in `origins`; -1 for a new lane, which starts like the best "
           "one.")
        .def("forget", [](Kind& self) { self.forget(); }, "The environment has changed: earlier evidence counts less.")
        .def("add", [](Kind& self, nb::handle outcome) {
            const OutcomeArrays arrays(outcome);
            require(arrays.greedy.size() == self.sums.size(), "one greedy action for each lane");
            self.add(arrays.outcome());
        }, "outcome"_a, "Update the scores of all lanes with the outcome of a round.")
        .def("snapshot", [](const Kind& self) { return std::make_unique<Kind>(self); }, "A copy, as it is now.")
        .def("state", [](const Kind& self) { return state_of(self); },
             "Everything that it has learned, as arrays by name.")
        .def("restore", [](Kind& self, const State& state) { restore(self, state); }, "state"_a,
             "Restore what `state` gave, into a part that has learned nothing.");
}

}  // namespace

void bind_selectors(nb::module_& m) {
    nb::class_<Selector>(m, "Selector", "Decides which lane is in charge.")
        .def_prop_ro("best", &Selector::best, "The lane in charge.");

    bind_selector<ProgressiveValidation>(m, "ProgressiveValidation", "Line 7 of Algorithm 1: sums of cost/p.")
        .def(nb::init<std::size_t>(), "lanes"_a)
        .def_prop_ro("dropped", [](const ProgressiveValidation& self) {
            return fresh_array<uint8_t>({self.sums.size()});
        }, nb::rv_policy::move, "Zeros: no lane drops out.")
        .def_prop_ro("intervals", [](const ProgressiveValidation& self) {
            auto intervals = fresh_array<double>({self.sums.size(), std::size_t(2)});
            for (std::size_t i = 0; i < 2 * self.sums.size(); ++i) intervals.data()[i] = i % 2 ? 1.0 : -1.0;
            return intervals;
        }, nb::rv_policy::move, "From −1 to 1, as nothing is known.");

    bind_selector<Contest>(m, "Contest",
                           "Compares lanes by one of several rules. Lanes that are certainly worse drop out.")
        .def("__init__", [](Contest* self, std::size_t lanes, const std::string& rule, double contention,
                            double error_weight, double error) {
            require(lanes > 0, "at least one lane");
            new (self) Contest(lanes, rule_named(rule), contention, error_weight, error);
        }, "lanes"_a, "rule"_a, "contention"_a = 10.0, "error_weight"_a = 3.0, "error"_a = 0.05)
        .def_prop_ro("dropped", [](const Contest& self) { return copy_of(self.dropped); }, nb::rv_policy::move,
                     "For each lane 1 if it has dropped out.")
        .def_prop_ro("intervals", [](const Contest& self) {
            auto intervals = fresh_array<double>({self.sums.size(), std::size_t(2)});
            for (std::size_t lane = 0; lane < self.sums.size(); ++lane)
                std::tie(intervals.data()[2 * lane], intervals.data()[2 * lane + 1]) = self.evidence.interval(lane);
            return intervals;
        }, nb::rv_policy::move, "Intervals of the cost of each lane minus that of the last one.")
        .def("merge", [](Contest& self, const Contest& other) {
            require(self.sums.size() == other.sums.size(), "another number of lanes");
            self.merge(other);
        }, "other"_a, "Add the evidence of another contest with the same lanes.");

    nb::class_<FixedLane, Selector>(m, "FixedLane", "A selector that always chooses the same lane.")
        .def("__init__", [](FixedLane* self, std::size_t lane, std::size_t lanes) {
            require(lane < lanes, "lane out of range");
            new (self) FixedLane(lane, lanes);
        }, "lane"_a, "lanes"_a);
}

}  // namespace warmcb
