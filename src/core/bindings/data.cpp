// Random numbers, contexts and costs for Python.
#include <bit>
#include <cstring>

#include "bindings/bindings.hpp"
#include "explorers/draw.hpp"
#include "data/philox.hpp"

namespace warmcb {
namespace {

// Rows of floats or doubles from a buffer, which is much faster than a general array.
class Buffer {
public:
    explicit Buffer(nb::handle x) {
        if (PyObject_GetBuffer(x.ptr(), &view_, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) != 0) {
            PyErr_Clear();
            return;
        }
        held_ = true;
        const bool known = view_.format && (std::strcmp(view_.format, "d") == 0 || std::strcmp(view_.format, "f") == 0);
        are_rows_ = (view_.ndim == 1 || view_.ndim == 2) && known &&
                    reinterpret_cast<uintptr_t>(view_.buf) % view_.itemsize == 0;
    }
    Buffer(const Buffer&) = delete;
    ~Buffer() {
        if (held_) PyBuffer_Release(&view_);
    }

    // The number of rows with this number of features; nothing if it is not such a buffer.
    std::size_t rows(std::size_t width) const {
        if (!are_rows_ || static_cast<std::size_t>(view_.shape[view_.ndim - 1]) != width) return 0;
        return view_.ndim == 1 ? 1 : static_cast<std::size_t>(view_.shape[0]);
    }

    // Copies all values as floats, and returns whether they are finite.
    bool convert(std::size_t size, float* to) const {
        if (*view_.format == 'd') convert(static_cast<const double*>(view_.buf), size, to);
        else convert(static_cast<const float*>(view_.buf), size, to);
        return all_finite(to, size);
    }

private:
    template <class T> static void convert(const T* from, std::size_t size, float* to) {
        for (std::size_t i = 0; i < size; ++i) to[i] = static_cast<float>(from[i]);
    }

    Py_buffer view_{};
    bool held_ = false, are_rows_ = false;
};

// Converts a CSR matrix in one pass; false if it is not valid, not sorted or not finite.
template <class Value, class Index>
bool convert_csr(const Array<const Value>& values, const Array<const Index>& indices, const Array<const Index>& starts,
                 std::size_t columns, float* to_values, int32_t* to_indices, int32_t* to_starts) {
    const std::size_t stored = values.size();
    if (starts.size() == 0 || indices.size() != stored || starts(0) != 0 || stored > INT32_MAX) return false;
    if (starts(starts.size() - 1) != static_cast<Index>(stored)) return false;
    uint32_t bad = 0;
    for (std::size_t row = 0; row + 1 < starts.size(); ++row) {
        const Index begin = starts(row), end = starts(row + 1);
        if (begin < 0 || end < begin || end > static_cast<Index>(stored)) return false;
        const Index* column = indices.data();
        for (Index i = begin + 1; i < end; ++i) bad |= column[i] <= column[i - 1];
        if (begin < end) bad |= column[begin] < 0 || column[end - 1] >= static_cast<Index>(columns);
        to_starts[row] = static_cast<int32_t>(begin);
    }
    to_starts[starts.size() - 1] = static_cast<int32_t>(stored);
    for (std::size_t i = 0; i < stored; ++i) to_indices[i] = static_cast<int32_t>(indices.data()[i]);
    for (std::size_t i = 0; i < stored; ++i) to_values[i] = static_cast<float>(values.data()[i]);
    return !bad && all_finite(to_values, stored);
}

using Csr = std::tuple<Numpy<float>, Numpy<int32_t>, Numpy<int32_t>>;

template <class Value, class Index>
bool try_csr(nb::handle values, nb::handle indices, nb::handle starts, std::size_t columns, std::optional<Csr>& found) {
    Array<const Value> from;
    Array<const Index> at, begins;
    if (!nb::try_cast(values, from, false) || !nb::try_cast(indices, at, false) || !nb::try_cast(starts, begins, false))
        return false;
    Csr to{empty_array<float>(from.size()), empty_array<int32_t>(at.size()), empty_array<int32_t>(begins.size())};
    if (convert_csr(from, at, begins, columns, std::get<0>(to).data(), std::get<1>(to).data(), std::get<2>(to).data()))
        found = std::move(to);
    return true;
}

RowArrays take(const Rows& rows, Array<const int64_t> order) {
    std::vector<float> values;
    std::vector<int32_t> indices;
    std::vector<int64_t> starts{0};
    Rows::Buffer buffer;
    for (std::size_t k = 0; k < order.size(); ++k) {
        const auto i = static_cast<std::size_t>(order.data()[k]);
        require(i < rows.size(), "row out of range");
        const Row row = rows.gather(i, buffer);
        values.insert(values.end(), row.value, row.value + row.size - 1);  // without the intercept
        indices.insert(indices.end(), row.index, row.index + row.size - 1);
        starts.push_back(static_cast<int64_t>(values.size()));
    }
    return {as_array(std::move(values)), as_array(std::move(indices)), as_array(std::move(starts))};
}

}  // namespace

void bind_data(nb::module_& m) {
    nb::class_<Stream>(m, "Stream", "Random numbers that are a function of (seed, stream, round): Philox4x64-10.")
        .def("__init__", [](Stream* self, uint64_t seed, uint64_t stream, uint64_t part) {
            new (self) Stream{seed, stream, part};
        }, "seed"_a, "stream"_a, "part"_a = 0)
        .def("uniform", &Stream::uniform, "round"_a, "A number in [0, 1).")
        .def("uniforms", [](const Stream& self, uint64_t first, std::size_t count) {
            auto numbers = fresh_array<double>({count});
            for (std::size_t i = 0; i < count; ++i) numbers.data()[i] = self.uniform(first + i);
            return numbers;
        }, "first"_a, "count"_a, "The random numbers of `count` rounds from `first` on.")
        .def("uniforms_of", [](const Stream& self, Array<const uint64_t> rounds) {
            auto numbers = fresh_array<double>({rounds.size()});
            for (std::size_t i = 0; i < rounds.size(); ++i) numbers.data()[i] = self.uniform(rounds(i));
            return numbers;
        }, "rounds"_a, "The random numbers of these rounds.");

    m.def("draw", [](Array<const double> probabilities, double uniform) {
        return draw(probabilities.data(), probabilities.size(), uniform);
    }, "probabilities"_a, "uniform"_a, "The action that a number in [0, 1) draws.");

    nb::class_<Rows>(m, "Rows", "Contexts, one in each row: dense float32, or CSR.")
        .def("__init__", [](Rows* self, Matrix<const float> values) {
            new (self) Rows(values.data(), values.shape(0), values.shape(1));
        }, "values"_a.noconvert(), nb::keep_alive<1, 2>())
        .def("__init__", [](Rows* self, Array<const float> values, Array<const int32_t> indices,
                            Array<const int64_t> starts, std::size_t features) {
            require(starts.size() > 0 && values.size() == indices.size(), "not a CSR matrix");
            const int64_t *start = starts.data(), *end = start + starts.size() - 1;
            require(*start >= 0 && *end <= static_cast<int64_t>(values.size()), "a row lies outside of the values");
            for (; start < end; ++start) {
                const int64_t size = start[1] - start[0];
                require(0 <= size && size <= static_cast<int64_t>(features),
                        "a row has more values than there are columns");
            }
            uint32_t bad = 0;  // no branch, so that several values are checked at once
            for (int64_t i = starts.data()[0]; i < *end; ++i)
                bad |= static_cast<uint32_t>(indices.data()[i]) >= features;
            require(!bad, "a column out of range");
            new (self) Rows(values.data(), indices.data(), starts.data(), starts.size() - 1, features);
        }, "values"_a.noconvert(), "indices"_a.noconvert(), "starts"_a.noconvert(), "features"_a,
           nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>())
        .def_static("of_vector", [](nb::handle x, std::size_t features) -> std::optional<Rows> {
            const Buffer buffer(x);
            if (buffer.rows(features) != 1) return std::nullopt;
            auto floats = std::make_shared<float[]>(features);
            if (!buffer.convert(features, floats.get())) return std::nullopt;
            return Rows(std::move(floats), features);
        }, "x"_a, "features"_a,
           "A copy of one finite context; None if it is not a contiguous vector of this many floats.")
        .def("__len__", &Rows::size)
        .def_prop_ro("features", &Rows::features, "The number of columns.")
        .def("first_bad", [](const Rows& self) -> std::optional<std::tuple<int64_t, int64_t, float>> {
            if (const auto bad = self.first_bad()) return std::tuple{bad->row, bad->column, bad->value};
            return std::nullopt;
        }, "Row, column and value of the first number that is not finite.")
        .def("dense", [](const Rows& self) {
            auto dense = fresh_array<float>({self.size(), self.features()});
            Rows::Buffer buffer;
            for (std::size_t i = 0; i < self.size(); ++i) {
                const Row row = self.gather(i, buffer);
                for (std::size_t k = 0; k + 1 < row.size; ++k)
                    dense.data()[i * self.features() + row.index[k]] = row.value[k];
            }
            return dense;
        }, "All rows as a NumPy matrix.")
        .def("row", [](const Rows& self, std::size_t i) {
            require(i < self.size(), "row out of range");
            return self.row(i);
        }, "i"_a, nb::keep_alive<0, 1>(), "Row i.")
        .def("take", &take, "order"_a, "The rows of these numbers, in this order, as CSR arrays.");

    m.def("finite_floats", [](nb::handle X, std::size_t features) -> std::optional<Numpy<float>> {
        const Buffer buffer(X);
        const std::size_t rows = buffer.rows(features);
        if (rows == 0) return std::nullopt;
        auto floats = fresh_array<float>({rows, features});
        if (!buffer.convert(rows * features, floats.data())) return std::nullopt;
        return floats;
    }, "X"_a, "features"_a,
       "A copy of a finite matrix; None if it is not a contiguous matrix of floats with this many columns.");

    m.def("sorted_csr", [](nb::handle values, nb::handle indices, nb::handle starts, std::size_t columns) {
        std::optional<Csr> found;
        try_csr<float, int32_t>(values, indices, starts, columns, found) ||
            try_csr<double, int32_t>(values, indices, starts, columns, found) ||
            try_csr<float, int64_t>(values, indices, starts, columns, found) ||
            try_csr<double, int64_t>(values, indices, starts, columns, found);
        return found;
    }, "values"_a, "indices"_a, "starts"_a, "columns"_a,
       "Copies of the arrays of a CSR matrix; None if it is not a sorted and finite matrix of floats.");

    nb::class_<Costs>(m, "Costs",
                      "The cost of every action in every row: labels, or a matrix with NaN for unknown costs.")
        .def("__init__",
             [](Costs* self, Array<const int32_t> labels) { new (self) Costs(labels.data(), labels.size()); },
             "labels"_a.noconvert(), nb::keep_alive<1, 2>())
        .def("__init__", [](Costs* self, Matrix<const double> matrix) {
            new (self) Costs(matrix.data(), matrix.shape(0), matrix.shape(1));
        }, "matrix"_a.noconvert(), nb::keep_alive<1, 2>())
        .def("__len__", &Costs::size)
        .def("matrix", [](const Costs& self, std::size_t actions) {
            require(self.fits(actions), "costs of another number of actions");
            auto matrix = fresh_array<double>({self.size(), actions});
            for (std::size_t i = 0; i < self.size(); ++i)
                for (std::size_t a = 0; a < actions; ++a) matrix.data()[i * actions + a] = self(i, a);
            return matrix;
        }, "actions"_a, "The costs as a NumPy matrix, rows by actions.");
}

}  // namespace warmcb
