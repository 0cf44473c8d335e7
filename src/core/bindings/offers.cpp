// Described actions for Python.
#include <charconv>
#include <iterator>

#include "bindings/bindings.hpp"
#include "encoding/xxh64.hpp"

namespace warmcb {
namespace {

// The bytes of a string, also if it is not valid UTF-8.
uint64_t hash_of_text(nb::handle text) {
    Py_ssize_t size = 0;
    if (const char* bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size))
        return xxh64({bytes, static_cast<std::size_t>(size)});
    PyErr_Clear();
    const auto bytes = nb::steal<nb::bytes>(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogatepass"));
    if (!bytes.is_valid()) nb::raise_python_error();
    return xxh64({bytes.c_str(), bytes.size()});
}

// An id as a number; 0 is no id. The integer 1 and the text "1" are different ids.
uint64_t identity_of(nb::handle id) {
    constexpr uint64_t integers = 0x9E3779B97F4A7C15;
    uint64_t number;
    char digits[24];
    int overflow = 0;
    if (nb::isinstance<nb::str>(id)) {
        number = hash_of_text(id);
    } else if (const long long value = PyLong_AsLongLongAndOverflow(id.ptr(), &overflow);
               overflow == 0 && !PyErr_Occurred()) {
        const char* end = std::to_chars(digits, std::end(digits), value).ptr;
        number = xxh64({digits, static_cast<std::size_t>(end - digits)}) ^ integers;
    } else {
        PyErr_Clear();
        number = hash_of_text(nb::str(id)) ^ integers;
    }
    return number == 0 ? 1 : number;
}

Pairing::Kind kind_named(const std::string& name) {
    if (name == "joint") return Pairing::Kind::joint;
    if (name == "crossed") return Pairing::Kind::crossed;
    require(name == "apart", "an unknown kind of pairing");
    return Pairing::Kind::apart;
}

}  // namespace

void bind_offers(nb::module_& m) {
    nb::class_<Pairing>(m, "Pairing", "How a context and a described action become one row for the learner.")
        .def("__init__", [](Pairing* self, const std::string& kind, std::size_t contexts, std::size_t actions,
                            std::size_t products, std::size_t identities) {
            require(kind != "crossed" || identities > 0, "identities without a place");
            new (self) Pairing{kind_named(kind), contexts, actions, products, identities};
        }, "kind"_a, "contexts"_a, "actions"_a, "products"_a, "identities"_a)
        .def_prop_ro("features", &Pairing::features, "The width of a learner's rows.")
        .def_prop_ro("regressors", &Pairing::regressors, "The number of actions of the learner.")
        .def("product", [](const Pairing& self, std::size_t of_context, std::size_t of_action) {
            require(self.products > 0, "there are no products");
            return self.contexts + self.actions + self.product(of_context, of_action);
        }, "of_context"_a, "of_action"_a, "The column of a product of features, of crossed pairs.");

    m.def("identities_of", [](const nb::typed<nb::tuple, nb::object, nb::ellipsis>& ids) {
        std::vector<uint64_t> numbers;
        for (const nb::handle id : ids) numbers.push_back(identity_of(id));
        return as_array(std::move(numbers));
    }, "ids"_a, nb::rv_policy::move, "Ids, strings or integers, as numbers.");

    nb::class_<Offers>(m, "Offers", "Rounds with described actions.")
        .def("__init__", [](Offers* self, const Rows* contexts, const Rows& actions,
                            std::optional<Array<const int64_t>> starts,
                            const std::optional<Array<const uint64_t>>& identities) {
            std::vector<int64_t> ends{0, static_cast<int64_t>(actions.size())};
            if (starts) ends.assign(starts->data(), starts->data() + starts->size());
            require(!ends.empty() && ends.front() == 0 && ends.back() == static_cast<int64_t>(actions.size()),
                    "not all actions are in rounds");
            for (std::size_t i = 1; i < ends.size(); ++i) require(ends[i - 1] < ends[i], "a round without actions");
            require(!contexts || contexts->size() + 1 == ends.size(), "one context for each round");
            require(!identities || identities->size() == actions.size(), "one identity for each action");
            new (self) Offers(contexts, actions, std::move(ends), identities ? identities->data() : nullptr);
        }, "contexts"_a.none(), "actions"_a, "starts"_a.none() = nb::none(), "identities"_a.none() = nb::none(),
           nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(), nb::keep_alive<1, 5>())
        .def("__len__", &Offers::size)
        .def_prop_ro("total", &Offers::total, "The number of actions in all rounds.")
        .def("count", [](const Offers& self, std::size_t i) {
            require(i < self.size(), "offer out of range");
            return self.count(i);
        }, "i"_a, "The number of actions in round i.")
        .def("pairs", [](const Offers& self, const Pairing& pairing, std::size_t i) {
            require(i < self.size() && pairing.contexts == self.context_features() &&
                    pairing.actions == self.action_features(),
                    "offers with another number of features");
            std::vector<float> values;
            std::vector<int32_t> indices;
            std::vector<int64_t> starts{0};
            Rows::Buffer context, action, pair;
            const Row of_context = self.context(i, context);
            for (std::size_t a = 0; a < self.count(i); ++a) {
                const Row row = pairing.pair(of_context, self.action(i, a, action), pair);
                values.insert(values.end(), row.value, row.value + row.size - 1);  // without the intercept
                indices.insert(indices.end(), row.index, row.index + row.size - 1);
                starts.push_back(static_cast<int64_t>(values.size()));
            }
            return RowArrays{as_array(std::move(values)), as_array(std::move(indices)), as_array(std::move(starts))};
        }, "pairing"_a, "i"_a, "The rows of the actions of round i, as CSR arrays.");
}

}  // namespace warmcb
