// Explorers for Python.
#include "bindings/bindings.hpp"
#include "explorers/epsilon_greedy.hpp"
#include "explorers/inverse_gap.hpp"
#include "bindings/outcomes.hpp"

namespace warmcb {

void bind_explorers(nb::module_& m) {
    nb::class_<Explorer>(m, "Explorer", "Makes of opinions the distribution that is played.")
        .def("largest_weight", &Explorer::largest_weight, "allowed"_a, "epsilon"_a, "round"_a, "of_eligible"_a,
             "The largest 1/p of the actions that eligible lanes want, or of any, where so many are allowed.")
        .def("distribution", [](const Explorer& self, nb::handle opinions) {
            const OpinionArrays arrays(opinions);
            auto probabilities = fresh_array<double>({arrays.scores.shape(0)});
            self.distribution(arrays.opinions(), probabilities.data());
            return probabilities;
        }, "opinions"_a, "The probability of each action.")
        .def("snapshot", [](nb::object self) { return self; }, "Itself: it never changes.")
        .def("state", [](const Explorer&) { return State(); }, "Nothing: it has learned nothing.")
        .def("restore", [](Explorer&, const State&) {}, "state"_a, "There is nothing to restore.");

    nb::class_<EpsilonGreedy, Explorer>(m, "EpsilonGreedy", "ε spread over the allowed actions, the rest over the best.")
        .def(nb::init<>());
    nb::class_<InverseGap, Explorer>(m, "InverseGap", "Less exploration the worse an action looks, and the later it is.")
        .def(nb::init<double, double, double>(), "sharpness"_a, "floor"_a, "patience"_a);
}

}  // namespace warmcb
