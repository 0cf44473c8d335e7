// The Python module warmcb._core.
#include "bindings/bindings.hpp"

NB_MODULE(_core, m) {
    using namespace warmcb;
    // A bandit may be alive when the interpreter ends, for example in a daemon thread. That is no leak.
    nb::set_leak_warnings(false);
    m.doc() = "The compiled core: the parts of a bandit, and whole rounds.";
    m.def("instruction_sets", [] {
        std::vector<std::string> names;
        for (const Kernels* kernels : available_kernels()) names.emplace_back(kernels->name);
        return names;
    }, "The instruction sets that this machine can run, the fastest first.");
    bind_data(m);
    bind_offers(m);
    bind_learners(m);
    bind_selectors(m);
    bind_explorers(m);
    bind_counts(m);
    bind_rounds(m);
    bind_ucb(m);
    bind_features(m);
}
