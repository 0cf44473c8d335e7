// Compiled rounds for Python: single rounds, many decisions or costs at once, and whole runs.
#include "bindings/bindings.hpp"
#include "bindings/run_arrays.hpp"
#include "rounds/runs.hpp"

namespace warmcb {
namespace {

// A writable vector of doubles from a buffer, which is much faster than a general array.
class Output {
public:
    Output(nb::handle array, std::size_t size) {
        if (PyObject_GetBuffer(array.ptr(), &view_, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE | PyBUF_FORMAT) != 0)
            nb::raise_python_error();
        const bool fits = view_.format && *view_.format == 'd' &&
                          view_.len == static_cast<Py_ssize_t>(size * sizeof(double));
        if (!fits) PyBuffer_Release(&view_);
        require(fits, "an output of another size");
    }
    Output(const Output&) = delete;
    ~Output() { PyBuffer_Release(&view_); }

    double* data() const { return static_cast<double*>(view_.buf); }

private:
    Py_buffer view_{};
};

void require_sizes(const Predictor& predictor, const Selector& selector, const Trial& trial, const Optimism& optimism) {
    require(selector.lanes() == predictor.lanes, "a selector of another number of lanes");
    // Described actions are not counted.
    const bool counts = !trial.added.empty() || !optimism.counts.empty();
    require(!counts || (trial.added.size() == predictor.actions && optimism.counts.size() == predictor.actions),
            "one mark for each action");
}

std::size_t decide_in(const Decider& decider, const Offer& offer, uint64_t round, double uniform,
                      nb::handle probabilities) {
    const Output output(probabilities, offer.actions());
    Scratch& scratch = Scratch::of_this_thread(offer.actions(), decider.predictor.lanes);
    look(decider.predictor, decider.doubts(), offer, scratch);
    return decider.decide(offer.actions(), round, uniform, scratch, output.data());
}

std::size_t decide_one(const Decider& decider, const Rows& rows, const std::optional<Array<const uint8_t>>& allowed,
                       uint64_t round, double uniform, nb::handle probabilities) {
    require_width(decider.predictor, rows);
    require(rows.size() == 1, "a single row");
    require_allowed(allowed, decider.predictor.actions);
    static thread_local Rows::Buffer buffer;
    const NumberedOffer offer(rows.gather(0, buffer), allowed ? allowed->data() : nullptr, decider.predictor.actions);
    return decide_in(decider, offer, round, uniform, probabilities);
}

void decide_many(const Decider& decider, const Rows& rows, const Mask& mask, uint64_t round,
                 Array<const double> uniforms, Array<int32_t> actions, Matrix<double> probabilities) {
    const std::size_t known = decider.predictor.actions;
    require_width(decider.predictor, rows);
    require_mask(mask, rows.size(), known);
    require(uniforms.size() == rows.size() && actions.size() == rows.size() && probabilities.shape(0) == rows.size() &&
                probabilities.shape(1) == known,
            "an output has another length than the rows");
    nb::gil_scoped_release release;
    Scratch& scratch = Scratch::of_this_thread(known, decider.predictor.lanes);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        look(decider.predictor, decider.doubts(), NumberedOffer(rows.gather(i, scratch.row), mask_row(mask, i), known),
             scratch);
        actions.data()[i] =
            static_cast<int32_t>(decider.decide(known, round, uniforms(i), scratch, probabilities.data() + i * known));
    }
}

template <class Class> void bind_decide(Class& bound) {
    using Kind = typename Class::Type;
    bound
        .def("decide", [](const Kind& self, const Rows& rows, const std::optional<Array<const uint8_t>>& allowed,
                          uint64_t round, double uniform, nb::handle probabilities) {
            return decide_one(self.decider(), rows, allowed, round, uniform, probabilities);
        }, "rows"_a, "allowed"_a.none(), "round"_a, "uniform"_a, "probabilities"_a, "Decide in a single row.")
        .def("decide_many", [](const Kind& self, const Rows& rows, const Mask& mask, uint64_t round,
                               Array<const double> uniforms, Array<int32_t> actions, Matrix<double> probabilities) {
            decide_many(self.decider(), rows, mask, round, uniforms, actions, probabilities);
        }, "rows"_a, "mask"_a.none(), "round"_a, "uniforms"_a, "actions"_a, "probabilities"_a, "Decide in every row.")
        .def("decide_described", [](Kind& self, const Pairing& pairing, const Offers& offers, std::size_t i,
                                    uint64_t round, double uniform, nb::handle probabilities) {
            const Decider decider = self.decider();
            require_offer(decider.predictor, pairing, offers, i);
            const DescribedOffer offer(pairing, offers, i);
            const std::size_t action = decide_in(decider, offer, round, uniform, probabilities);
            if constexpr (requires { self.last_look; })
                self.last_look = {offers.serial, i,
                                  Scratch::of_this_thread(offer.actions(), decider.predictor.lanes).scores};
            return action;
        }, "pairing"_a, "offers"_a, "i"_a, "round"_a, "uniform"_a, "probabilities"_a, "Decide in offer i.");
}

// The parts of a snapshot.
struct Snapshot : Decider {
    const Decider& decider() const { return *this; }
};

// The parts of a bandit.
struct Composition {
    Learner& learner;
    Selector& selector;
    const Explorer& explorer;
    Trial& trial;
    Optimism& optimism;
    CostUnit& unit;
    double epsilon;
    std::optional<std::vector<double>> weights = {};
    std::vector<uint8_t> unjudged = {};
    double unjudged_weight = 0;

    // The scores of the last offer of described actions, until something is learned. Most decisions are learned
    // before the next one, so their scores need not be computed again.
    struct LastLook {
        uint64_t offers = 0;
        std::size_t i = 0;
        std::vector<float> scores;

        bool is_of(const Offers& others, std::size_t j) const {
            return !scores.empty() && offers == others.serial && i == j;
        }
    };
    LastLook last_look = {};

    Decider decider() const { return {learner, selector, explorer, trial, optimism, epsilon}; }
    Student student() {
        require_sizes(learner, selector, trial, optimism);
        require(unjudged.empty() || unjudged.size() == learner.actions * learner.lanes,
                "one mark for each action and lane");
        require(!weights || weights->size() == learner.lanes, "one weight for each lane");
        return {learner, selector, explorer, trial, optimism, unit, epsilon, weights ? weights->data() : nullptr,
                unjudged.empty() ? nullptr : unjudged.data(), unjudged_weight};
    }
};

}  // namespace

void bind_rounds(nb::module_& m) {
    auto snapshot = nb::class_<Snapshot>(m, "Snapshot", "The parts of a policy, which decides and does not learn.")
        .def("__init__", [](Snapshot* self, const Predictor& predictor, const Selector& selector,
                            const Explorer& explorer, const Trial& trial, const Optimism& optimism, double epsilon) {
            require_sizes(predictor, selector, trial, optimism);
            new (self) Snapshot{{predictor, selector, explorer, trial, optimism, epsilon}};
        }, "predictor"_a, "selector"_a, "explorer"_a, "trial"_a, "optimism"_a, "epsilon"_a, nb::keep_alive<1, 2>(),
           nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>(), nb::keep_alive<1, 5>(), nb::keep_alive<1, 6>());
    bind_decide(snapshot);

    auto composition = nb::class_<Composition>(m, "Composition",
                                               "The parts of a bandit: a learner, a selector and an explorer, and "
                                               "whole rounds with them.")
        .def("__init__", [](Composition* self, Learner& learner, Selector& selector, const Explorer& explorer,
                            Trial& trial, Optimism& optimism, CostUnit& unit, double epsilon) {
            require_sizes(learner, selector, trial, optimism);
            new (self) Composition{learner, selector, explorer, trial, optimism, unit, epsilon};
        }, "learner"_a, "selector"_a, "explorer"_a, "trial"_a, "optimism"_a, "unit"_a,
           "epsilon"_a, nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>(), nb::keep_alive<1, 5>(),
           nb::keep_alive<1, 6>(), nb::keep_alive<1, 7>())
        .def("weigh", [](Composition& self, std::optional<std::vector<double>> weights, std::vector<uint8_t> unjudged,
                         double unjudged_weight) {
            self.weights = std::move(weights);
            self.unjudged = std::move(unjudged);
            self.unjudged_weight = unjudged_weight;
            self.last_look.scores.clear();  // labels will be learned
            self.student();
        }, "weights"_a.none(), "unjudged"_a, "unjudged_weight"_a,
           "Set the weight of a round in each lane (None: nothing is learned), and the actions for which a lane has no "
           "labels.")
        .def("learn", [](Composition& self, const Rows& rows, std::size_t action, double cost, double probability,
                         const std::optional<Array<const uint8_t>>& allowed, uint64_t round, uint64_t now, bool drawn) {
            const Student student = self.student();
            require_width(student.learner, rows);
            require(rows.size() == 1 && action < student.learner.actions, "a single row, a known action");
            require_allowed(allowed, student.learner.actions);
            const uint8_t* marks = allowed ? allowed->data() : nullptr;
            Scratch& scratch = Scratch::of_this_thread(student.learner.actions, student.learner.lanes);
            const NumberedOffer offer(rows.gather(0, scratch.row), marks, student.learner.actions);
            look(student.learner, student.doubts(), offer, scratch);
            student.learn(offer, {action, cost, probability, round, drawn}, now, scratch);
        }, "rows"_a, "action"_a, "cost"_a, "probability"_a, "allowed"_a.none(), "round"_a, "now"_a, "drawn"_a,
           "Learn the cost of the action in a single row.")
        .def("learn_many", [](Composition& self, const Rows& rows, Array<const int32_t> actions,
                              Array<const double> costs, Array<const double> probabilities, const Mask& mask,
                              Array<const uint64_t> rounds, uint64_t now) {
            const Student student = self.student();
            const std::size_t size = rows.size();
            require_width(student.learner, rows);
            require(actions.size() == size && costs.size() == size && probabilities.size() == size &&
                        rounds.size() == size,
                    "one of each for every row");
            require_actions(actions, student.learner.actions);
            require_mask(mask, size, student.learner.actions);
            nb::gil_scoped_release release;
            Scratch& scratch = Scratch::of_this_thread(student.learner.actions, student.learner.lanes);
            for (std::size_t i = 0; i < size; ++i) {
                const NumberedOffer offer(rows.gather(i, scratch.row), mask_row(mask, i), student.learner.actions);
                look(student.learner, student.doubts(), offer, scratch);
                student.learn(offer, {static_cast<std::size_t>(actions(i)), costs(i), probabilities(i), rounds(i)},
                              now + i, scratch);
            }
        }, "rows"_a, "actions"_a, "costs"_a, "probabilities"_a, "mask"_a.none(), "rounds"_a, "now"_a,
           "Learn the cost of the action in every row, one after the other.")
        .def("play", [](Composition& self, const Stream& random, const Rows& rows, const Costs& costs,
                        std::size_t begin, std::size_t end, uint64_t first_draw, uint64_t first_round,
                        Array<int32_t> actions, Array<double> probabilities, Array<double> paid,
                        Array<int32_t> lanes, Array<double> memories) {
            const Student student = self.student();
            require_width(student.learner, rows);
            require(end <= rows.size(), "rows out of range");
            Outputs outputs{actions, probabilities, paid, lanes, memories};
            const Trace trace = outputs.trace_for(begin, end, costs, student.learner.actions);
            nb::gil_scoped_release release;
            play(self.decider(), student, random, rows, costs, {begin, end, first_draw, first_round}, trace);
        }, "random"_a, "rows"_a, "costs"_a, "begin"_a, "end"_a, "first_draw"_a, "first_round"_a, "actions"_a,
           "probabilities"_a, "paid"_a, "lanes"_a, "memories"_a, "Decide and learn in the rows from begin to end.");
    composition
        .def("learn_described", [](Composition& self, const Pairing& pairing, const Offers& offers, std::size_t i,
                                   std::size_t action, double cost, double probability, uint64_t round,
                                   uint64_t now, bool drawn) {
            const Student student = self.student();
            require_offer(student.learner, pairing, offers, i);
            require(action < offers.count(i), "action out of range");
            const DescribedOffer offer(pairing, offers, i);
            Scratch& scratch = Scratch::of_this_thread(offer.actions(), student.learner.lanes);
            if (self.last_look.is_of(offers, i)) {
                scratch.scores.swap(self.last_look.scores);
                scratch.optimistic = scratch.scores.data();
                student.learner.greedy(scratch.optimistic, offer.actions(), scratch.greedy.data());
            } else {
                look(student.learner, student.doubts(), offer, scratch);
            }
            self.last_look.scores.clear();
            student.learn(offer, {action, cost, probability, round, drawn}, now, scratch);
        }, "pairing"_a, "offers"_a, "i"_a, "action"_a, "cost"_a, "probability"_a, "round"_a, "now"_a, "drawn"_a,
           "Learn the cost of an action of offer i.")
        .def("play_described", [](Composition& self, const Stream& random, const Pairing& pairing, const Offers& offers,
                                  Array<const double> costs, std::size_t begin, std::size_t end, uint64_t first_draw,
                                  uint64_t first_round, Array<int32_t> actions, Array<double> probabilities,
                                  Array<double> paid, Array<int32_t> lanes, Array<double> memories) {
            const Student student = self.student();
            require_offers(student.learner, pairing, offers);
            require(begin <= end && end <= offers.size() && costs.size() == offers.total(), "offers out of range");
            const Trace trace = Outputs{actions, probabilities, paid, lanes, memories}.trace_for(end - begin);
            nb::gil_scoped_release release;
            self.last_look.scores.clear();
            return play(self.decider(), student, random, pairing, offers, costs.data(),
                        {begin, end, first_draw, first_round}, trace);
        }, "random"_a, "pairing"_a, "offers"_a, "costs"_a, "begin"_a, "end"_a, "first_draw"_a, "first_round"_a,
           "actions"_a, "probabilities"_a, "paid"_a, "lanes"_a, "memories"_a,
           "Decide and learn in the offers from begin to end, and return the number of learned rounds.");
    bind_decide(composition);
}

}  // namespace warmcb
