// The encoder of records for Python.
#include <nanobind/stl/string_view.h>

#include "bindings/bindings.hpp"
#include "encoding/row_encoder.hpp"

namespace warmcb {
namespace {

using CsrArrays = std::tuple<Numpy<float>, Numpy<int32_t>, Numpy<int32_t>>;
using List = nb::typed<nb::list, nb::object>;

class FeatureHasher {
public:
    FeatureHasher(int bits, const std::vector<std::string>& text, const std::vector<std::string>& categories,
                  const std::vector<std::string>& known, const std::string& now, int64_t most_depth,
                  int64_t most_values, std::size_t most_names, nb::object plain)
        : encoding_{{text.begin(), text.end()}, {categories.begin(), categories.end()}, now, most_depth, most_values,
                    std::move(plain)},
          names_(bits, most_names, hashes_of(known)) {}

    CsrArrays one(nb::handle record, nb::handle now) {
        RowEncoder encoder(encoding_, names_, instant(now));
        EncodedRows rows;
        encoder.begin("record");
        encoder.record(record);
        encoder.end(rows);
        encoder.keep(names_);
        return arrays(std::move(rows));
    }

    CsrArrays many(List records, nb::handle now) {
        RowEncoder encoder(encoding_, names_, instant(now));
        EncodedRows rows;
        encode(encoder, rows, records, "records");
        encoder.keep(names_);
        return arrays(std::move(rows));
    }

    CsrArrays table(List columns, List values, std::size_t size, nb::handle now) {
        RowEncoder encoder(encoding_, names_, instant(now));
        EncodedRows rows;
        require(columns.size() == values.size(), "columns and names differ in number");
        for (std::size_t k = 0; k < values.size(); ++k)
            require(nb::cast<nb::list>(values[k]).size() == size, "columns of another length");
        for (std::size_t i = 0; i < size; ++i) {
            encoder.begin("records", i);
            for (std::size_t k = 0; k < columns.size(); ++k) encoder.named(columns[k], nb::object(values[k][i]));
            encoder.end(rows);
        }
        encoder.keep(names_);
        return arrays(std::move(rows));
    }

    std::tuple<CsrArrays, CsrArrays> request(nb::handle context, List actions, nb::handle now,
                                             std::string_view merged_context, std::string_view merged,
                                             std::string_view skipped) {
        RowEncoder encoder(encoding_, names_, instant(now));
        EncodedRows row, rows;
        encoder.begin("context");
        if (!context.is_none()) encoder.record(context, merged_context);
        encoder.end(row);
        encoder.set_now(encoder.now());
        encode(encoder, rows, actions, "actions", merged, skipped);
        encoder.keep(names_);
        return {arrays(std::move(row)), arrays(std::move(rows))};
    }

    nb::typed<nb::list, nb::str> names(int64_t column) const {
        require(column >= 0 && column < names_.columns(), "a column out of range");
        nb::typed<nb::list, nb::str> found;
        for (const std::string& name : names_.of_column(static_cast<int32_t>(column)))
            found.append(decoded(name));
        return found;
    }

    int64_t columns() const { return names_.columns(); }

    State state() const {
        const auto [names, left_out] = names_.all();
        std::vector<uint64_t> hashes;
        std::vector<uint8_t> text;
        std::vector<int64_t> sizes;
        for (const auto& [hash, name] : names) {
            hashes.push_back(hash);
            text.insert(text.end(), name.begin(), name.end());
            sizes.push_back(static_cast<int64_t>(name.size()));
        }
        State state;
        state["hashes"] = as_array(std::move(hashes));
        state["text"] = as_array(std::move(text));
        state["sizes"] = as_array(std::move(sizes));
        state["left_out"] = as_array(std::vector<int64_t>{left_out});
        return state;
    }

    void restore(Array<const uint64_t> hashes, Array<const uint8_t> text, Array<const int64_t> sizes,
                 int64_t left_out) {
        require(hashes.size() == sizes.size() && left_out >= 0, "names that do not fit their hashes");
        NewNames names;
        std::string_view rest(reinterpret_cast<const char*>(text.data()), text.size());
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            require(sizes(i) >= 0 && static_cast<std::size_t>(sizes(i)) <= rest.size(),
                    "a name lies outside of the text");
            const std::string_view name = rest.substr(0, static_cast<std::size_t>(sizes(i)));
            decoded(name);
            require(names.emplace(hashes(i), name).second, "a hash twice");
            rest.remove_prefix(name.size());
        }
        require(rest.empty(), "the text is longer than its names");
        names_.replace(std::move(names), left_out);
    }

    std::tuple<std::size_t, std::size_t, std::size_t, int64_t> counts() const {
        const FeatureNames::Counts counts = names_.counts();
        return {counts.names, counts.columns, counts.collisions, counts.left_out};
    }

private:
    static void encode(RowEncoder& encoder, EncodedRows& rows, const nb::list& records, const char* what,
                       std::string_view merged = {}, std::string_view skipped = {}) {
        for (std::size_t i = 0; i < records.size(); ++i) {
            encoder.begin(what, i);
            encoder.record(nb::object(records[i]), merged, skipped);
            encoder.end(rows);
        }
    }

    static std::vector<uint64_t> hashes_of(const std::vector<std::string>& names) {
        std::vector<uint64_t> hashes;
        for (const std::string& name : names) hashes.push_back(xxh64(name));
        std::sort(hashes.begin(), hashes.end());
        hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
        return hashes;
    }

    std::optional<int64_t> instant(nb::handle now) const {
        if (now.is_none()) return std::nullopt;
        auto moment = PyUnicode_Check(now.ptr()) ? IsoReader(Utf8(now)).read() : moment_of(now);
        if (!moment) moment = moment_of(encoding_.plain(now));
        if (!moment || !moment->day)
            raise_input_error("now is " + shown(now) +
                              "; expected a date, with or without a time, as an object or in ISO 8601");
        return moment->instant();
    }

    static nb::object decoded(std::string_view name) {
        nb::object text = nb::steal(PyUnicode_DecodeUTF8(name.data(), static_cast<Py_ssize_t>(name.size()),
                                                         "surrogatepass"));
        if (!text.is_valid()) throw nb::python_error();
        return text;
    }

    static CsrArrays arrays(EncodedRows&& rows) {
        return {as_array(std::move(rows.values)), as_array(std::move(rows.columns)), as_array(std::move(rows.starts))};
    }

    Encoding encoding_;
    FeatureNames names_;
};

}  // namespace

void bind_features(nb::module_& m) {
    PyDateTime_IMPORT;
    m.def("xxh64", [](nb::bytes text) { return xxh64({static_cast<const char*>(text.data()), text.size()}); }, "text"_a,
          "The hash XXH64 of some bytes, with seed 0.");
    nb::class_<FeatureHasher>(m, "FeatureHasher",
                              "Dictionaries to rows of hashed columns, and the names of these columns.")
        .def(nb::init<int, const std::vector<std::string>&, const std::vector<std::string>&,
                      const std::vector<std::string>&, const std::string&, int64_t, int64_t, std::size_t, nb::object>(),
             "bits"_a, "text"_a, "categories"_a, "known"_a, "now"_a, "most_depth"_a, "most_values"_a, "most_names"_a,
             "plain"_a)
        .def("one", &FeatureHasher::one, "record"_a.none(), "now"_a.none(), "The row of one record, as CSR arrays.")
        .def("many", &FeatureHasher::many, "records"_a, "now"_a.none(), "The rows of several records, as CSR arrays.")
        .def("table", &FeatureHasher::table, "columns"_a, "values"_a, "size"_a, "now"_a.none(),
             "The rows of a table that is given by its columns, as CSR arrays.")
        .def("request", &FeatureHasher::request, "context"_a.none(), "actions"_a, "now"_a.none(), "merged_context"_a,
             "merged"_a, "skipped"_a, "The row of a context and those of its actions, each as CSR arrays.")
        .def_prop_ro("columns", &FeatureHasher::columns, "The number of columns.")
        .def("names", &FeatureHasher::names, "column"_a, "The names that were seen in a column.")
        .def("state", &FeatureHasher::state, "All names, as arrays.")
        .def("restore", &FeatureHasher::restore, "hashes"_a.noconvert(), "text"_a.noconvert(), "sizes"_a.noconvert(),
             "left_out"_a, "Restore what `state` gave.")
        .def("counts", &FeatureHasher::counts,
             "The number of names, of columns with a name, of columns with several names, and of names that were left "
             "out.");
}

}  // namespace warmcb
