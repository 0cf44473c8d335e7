// UCB1 (Algorithm 3) for Python.
#include "bindings/bindings.hpp"
#include "bindings/run_arrays.hpp"
#include "rounds/runs.hpp"

namespace warmcb {

void bind_ucb(nb::module_& m) {
    nb::class_<LowerConfidenceBounds>(m, "LowerConfidenceBounds", "UCB1 on costs (Algorithm 3).")
        .def(nb::init<std::size_t>(), "actions"_a)
        .def_prop_ro("sums", [](LowerConfidenceBounds& self) {
            return Numpy<double>(self.sums.data(), {self.sums.size()});
        }, nb::rv_policy::reference_internal, "The sum of each action's costs.")
        .def_prop_ro("counts", [](LowerConfidenceBounds& self) {
            return Numpy<double>(self.counts.data(), {self.counts.size()});
        }, nb::rv_policy::reference_internal, "The number of each action's costs.")
        .def_rw("rounds", &LowerConfidenceBounds::rounds, "The number of learned rounds.")
        .def("best", [](const LowerConfidenceBounds& self, const std::optional<Array<const uint8_t>>& allowed) {
            require_allowed(allowed, self.counts.size());
            return self.best(allowed ? allowed->data() : nullptr);
        }, "allowed"_a = nb::none(), "The first allowed action with the lowest bound.")
        .def("bound", [](const LowerConfidenceBounds& self, std::size_t action) {
            require(action < self.counts.size(), "action out of range");
            return self.bound(action);
        }, "action"_a, "The lower confidence bound of an action's cost.")
        .def("add", [](LowerConfidenceBounds& self, std::size_t action, double cost) {
            require(action < self.counts.size(), "action out of range");
            self.add(action, cost);
        }, "action"_a, "cost"_a, "Learn the cost of an action.");

    m.def("play_ucb", [](LowerConfidenceBounds& bounds, const Costs& costs, std::size_t begin, std::size_t end,
                         Array<int32_t> actions, Array<double> probabilities, Array<double> paid, Array<int32_t> lanes,
                         Array<double> memories) {
        Outputs outputs{actions, probabilities, paid, lanes, memories};
        const Trace trace = outputs.trace_for(begin, end, costs, bounds.counts.size());
        nb::gil_scoped_release release;
        play(bounds, costs, begin, end, trace);
    }, "bounds"_a, "costs"_a, "begin"_a, "end"_a, "actions"_a, "probabilities"_a, "paid"_a, "lanes"_a, "memories"_a,
       "Decide and learn in the rows from begin to end.");
}

}  // namespace warmcb
