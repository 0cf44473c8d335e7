// Explorers for Python.
#include "bindings/bindings.hpp"
#include "explorers/epsilon_greedy.hpp"
#include "explorers/inverse_gap.hpp"
#include "bindings/outcomes.hpp"

namespace warmcb {

void bind_explorers(nb::module_& m) {
    nb::class_<Explorer>(m, "Explorer", "Turns scores into the distribution that is played.")
        .def("largest_weight", &Explorer::largest_weight, "allowed"_a, "epsilon"_a, "round"_a, "of_eligible"_a,
             "An upper bound on 1/p of the actions that eligible lanes prefer, or of any action, for a number of "
             "allowed actions.")
        .def("distribution", [](const Explorer& self, nb::handle opinions) {
            const OpinionArrays arrays(opinions);
            auto probabilities = fresh_array<double>({arrays.scores.shape(0)});
            self.distribution(arrays.opinions(), probabilities.data());
            return probabilities;
        }, "opinions"_a, "The probability of each action.")
        .def("snapshot", [](nb::object self) { return self; }, "Itself, as it never changes.")
        .def("state", [](const Explorer&) { return State(); }, "Empty: it has no state.")
        .def("restore", [](Explorer&, const State&) {}, "state"_a, "There is nothing to restore.");

    nb::class_<EpsilonGreedy, Explorer>(m, "EpsilonGreedy",
                                        "ε spread over the allowed actions, the rest over the best.")
        .def(nb::init<>());
    nb::class_<InverseGap, Explorer>(m, "InverseGap",
                                     "Exploration that decreases with the gap of an action to the best, and with time.")
        .def(nb::init<double, double, double>(), "sharpness"_a, "floor"_a, "patience"_a);
}

}  // namespace warmcb
