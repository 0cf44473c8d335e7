// The encoder of records: from Python's dictionaries to hashed rows. warmcb/features/encoder.py explains the rules.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "encoding/feature_names.hpp"
#include "encoding/python_values.hpp"
#include "encoding/words.hpp"
#include "encoding/xxh64.hpp"

namespace nb = nanobind;

namespace warmcb {

using Paths = std::set<std::string, std::less<>>;

struct Encoding {
    Paths text, categories;   // the paths of strings that are texts, and of numbers that are categories
    std::string now;          // the path of the present time, from which ages are computed; empty if there is none
    int64_t most_depth, most_values;
    // a Python function that converts values of other types; it returns NotImplemented for unknown ones
    nb::object plain;
};

// CSR rows, to which rows are appended.
struct EncodedRows {
    std::vector<float> values;
    std::vector<int32_t> columns, starts{0};
};

// Encodes records, one at a time.
class RowEncoder {
public:
    RowEncoder(const Encoding& encoding, const FeatureNames& names, std::optional<int64_t> now)
        : encoding_(encoding), names_(names), given_now_(now) {}

    // Begins a record. Messages name it, as in records[3].
    void begin(const char* what, std::optional<std::size_t> number = std::nullopt) {
        what_ = what, number_ = number;
        path_.clear();
        arena_.clear();
        entries_.clear();
        ages_.clear();
        now_ = given_now_;
    }

    // Encodes a dictionary, or a list of dictionaries, which count as one. If the value of the key `merged` is a list
    // of dictionaries, its values count as values of the record itself. The key `skipped` is left out.
    void record(nb::handle value, std::string_view merged = {}, std::string_view skipped = {}) {
        if (PyDict_Check(value.ptr())) return dictionary(value, 1, merged, skipped);
        if (!PyList_Check(value.ptr())) refuse(value, "a dictionary of values by name");
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(value.ptr()); ++i) {
            const nb::object item = nb::borrow(PyList_GET_ITEM(value.ptr(), i));
            if (!PyDict_Check(item.ptr())) refuse(item, "a dictionary of values by name");
            dictionary(item, 1);
        }
    }

    // Encodes one value of a table.
    void named(nb::handle name, nb::handle value) { member(name, value, 1); }

    // Ends the row. Its names are kept by `keep`.
    void end(EncodedRows& rows) {
        for (const Age& age : ages_) {
            path_ = age.path;
            if (now_) push(".age", {}, static_cast<double>(*now_ - age.instant) / microseconds_of_day);
            else push(".age=", "missing", 1.0, true);
        }
        const auto name_of = [&](const Entry& entry) {
            return std::string_view(arena_).substr(entry.begin, entry.size);
        };
        names_.look_up(entries_, name_of, new_names_, left_out_);
        for (Entry& entry : entries_) entry.column = names_.column(entry.hash);
        std::sort(entries_.begin(), entries_.end());
        for (std::size_t i = 0; i < entries_.size();) {
            const int32_t column = entries_[i].column;
            const float value = sum_of_column(column, i);
            if (value == 0.0f) continue;
            rows.values.push_back(value);
            rows.columns.push_back(column);
        }
        if (rows.values.size() > static_cast<std::size_t>(std::numeric_limits<int32_t>::max()))
            raise_input_error("the rows have more than 2^31 values; expected fewer rows at once");
        rows.starts.push_back(static_cast<int32_t>(rows.values.size()));
    }

    // The present time, according to the record.
    std::optional<int64_t> now() const { return now_; }
    void set_now(std::optional<int64_t> now) { given_now_ = now; }

    void keep(FeatureNames& names) { names.add(std::move(new_names_), left_out_); }

private:
    struct Entry {
        uint64_t hash;
        double value;
        bool is_level;
        std::size_t begin, size;  // of its name
        int32_t column = 0;

        // By column, then in an order that does not depend on the order of the record, so that sums are always the
        // same.
        bool operator<(const Entry& other) const {
            if (column != other.column) return column < other.column;
            if (hash != other.hash) return hash < other.hash;
            if (is_level != other.is_level) return is_level < other.is_level;
            return value < other.value;
        }
    };

    struct Age {
        std::string path;
        int64_t instant;
    };

    // Extends the path during its lifetime.
    class Step {
    public:
        Step(std::string& path, std::string_view key) : path_(path), size_(path.size()) {
            if (size_) path += '.';
            path += key;
        }
        Step(std::string& path, std::size_t position) : path_(path), size_(path.size()) {
            path += '[';
            path += std::to_string(position);
            path += ']';
        }
        Step(const Step&) = delete;
        ~Step() { path_.resize(size_); }

    private:
        std::string& path_;
        std::size_t size_;
    };

    // Adds up the entries of a column from entry i on, and moves i behind them.
    float sum_of_column(int32_t column, std::size_t& i) const {
        double sum = 0.0;
        for (const Entry* last = nullptr; i < entries_.size() && entries_[i].column == column;
             last = &entries_[i++]) {
            const bool is_repeated_level =
                last && last->hash == entries_[i].hash && last->is_level && entries_[i].is_level;
            if (!is_repeated_level) sum += entries_[i].value;  // a category counts once
        }
        const float value = static_cast<float>(sum);
        if (!std::isfinite(value))
            raise_input_error("the values of " + where() + " that share column " + std::to_string(column) +
                              " sum to more than 3.4e38; expected smaller ones");
        return value;
    }

    void dictionary(nb::handle items, int64_t depth, std::string_view merged = {}, std::string_view skipped = {}) {
        require_depth(depth);
        PyObject *key, *value;
        for (Py_ssize_t at = 0; PyDict_Next(items.ptr(), &at, &key, &value);) {
            const nb::object held_key = nb::borrow(key), held = nb::borrow(value);
            if (depth == 1 && !(merged.empty() && skipped.empty()) && PyUnicode_Check(key)) {
                const Utf8 name(key);
                if (!skipped.empty() && skipped == name) continue;
                if (!merged.empty() && merged == name && has_dictionaries_only(value)) {
                    record(held);
                    continue;
                }
            }
            member(held_key, held, depth);
        }
    }

    static bool has_dictionaries_only(PyObject* value) {
        if (!PyList_Check(value)) return false;
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(value); ++i)
            if (!PyDict_Check(PyList_GET_ITEM(value, i))) return false;
        return true;
    }

    void member(nb::handle key, nb::handle value, int64_t depth) {
        if (!PyUnicode_Check(key.ptr())) {
            const std::string kind = Py_TYPE(key.ptr())->tp_name;
            raise_input_error("a key of " + place() + " is " + shown(key) + ", of the type " + kind +
                              "; expected strings");
        }
        const Utf8 name(key);
        const std::string_view text = name;
        if (!text.empty() && text.front() == '_') return;
        const Step step(path_, text);
        add(value, depth);
    }

    void add(nb::handle value, int64_t depth, bool is_plain = false) {
        PyObject* object = value.ptr();
        if (PyUnicode_Check(object)) string(value);
        else if (PyBool_Check(object)) push("=", object == Py_True ? "true" : "false", 1.0, true);
        else if (PyFloat_Check(object)) number(value, PyFloat_AS_DOUBLE(object));
        else if (PyLong_Check(object)) integer(value);
        else if (object == Py_None) missing();
        else if (PyDict_Check(object)) dictionary(value, depth + 1);
        else if (PyList_Check(object)) list(value, depth + 1);
        else if (const auto moment = moment_of(value)) time(*moment);
        else if (PyDelta_CheckExact(object)) number(value, days(value));
        else {
            const nb::object known = is_plain ? nb::borrow(Py_NotImplemented) : encoding_.plain(value);
            if (known.ptr() == Py_NotImplemented)
                refuse(value,
                       "a number, a string, true or false, a date or a time, nothing, a list or a dictionary of these");
            add(known, depth, true);
        }
    }

    void string(nb::handle value) {
        if (encoding_.text.contains(path_)) return words(value);
        const Utf8 text(value);
        const std::string_view view = text;
        const bool may_be_date = view.size() >= 10 && view[4] == '-' && view[7] == '-';
        if (may_be_date && !encoding_.categories.contains(path_))
            if (const auto moment = IsoReader(view).read()) return time(*moment);
        push("=", view, 1.0, true);
    }

    void integer(nb::handle value) {
        const double as_double = PyLong_AsDouble(value.ptr());
        if (as_double == -1.0 && PyErr_Occurred()) {
            PyErr_Clear();
            refuse(value, "a number below 3.4e38");
        }
        number(value, as_double);
    }

    void number(nb::handle value, double number) {
        if (std::isnan(number)) return missing();
        if (encoding_.categories.contains(path_)) return level_of_number(value, number);
        if (!(std::fabs(number) <= std::numeric_limits<float>::max())) refuse(value, "a finite number below 3.4e38");
        push({}, {}, number);
    }

    // 3 and 3.0 are the same category: integer columns with missing values become floats in many tables.
    void level_of_number(nb::handle value, double number) {
        constexpr double largest_exact = 9007199254740992.0;
        char text[32];
        if (std::fabs(number) < largest_exact && number == std::floor(number)) {
            const auto end = std::to_chars(text, text + sizeof text, static_cast<int64_t>(number)).ptr;
            return push("=", {text, static_cast<std::size_t>(end - text)}, 1.0, true);
        }
        const nb::object digits =
            nb::steal(PyLong_Check(value.ptr()) ? PyNumber_ToBase(value.ptr(), 10) : PyFloat_Type.tp_repr(value.ptr()));
        if (!digits.is_valid()) throw nb::python_error();
        push("=", Utf8(digits), 1.0, true);
    }

    void missing() { push("=", "missing", 1.0, true); }

    // Strings in a list are tags, and dictionaries count as one. All other values are named by their positions.
    void list(nb::handle items, int64_t depth) {
        require_depth(depth);
        const bool has_levels = encoding_.categories.contains(path_);
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(items.ptr()); ++i) {
            const nb::object item = nb::borrow(PyList_GET_ITEM(items.ptr(), i));
            PyObject* object = item.ptr();
            if (PyUnicode_Check(object) && !encoding_.text.contains(path_)) push("=", Utf8(item), 1.0, true);
            else if (PyUnicode_Check(object) || PyDict_Check(object) || (has_levels && !PyList_Check(object)))
                add(item, depth);
            else {
                const Step step(path_, static_cast<std::size_t>(i));
                add(item, depth);
            }
        }
    }

    void time(const Moment& moment) {
        if (moment.time) cycle(".hour", static_cast<double>(*moment.time) / microseconds_of_day);
        if (!moment.day) return;
        const Turns turns = turns_of_day(*moment.day);
        cycle(".weekday", turns.weekday);
        cycle(".season", turns.season);
        const int64_t instant = moment.instant();
        if (encoding_.now.empty() && !given_now_) {
            constexpr double epoch = 10957.0, year = 365.2425;  // 2000-01-01, in days
            return push(".years", {}, (static_cast<double>(instant) / microseconds_of_day - epoch) / year);
        }
        if (!given_now_ && path_ == encoding_.now) now_ = now_ ? std::max(*now_, instant) : instant;
        ages_.push_back({path_, instant});
    }

    void cycle(const char* name, double turn) {
        const Circle at = circle(turn);
        push(name, ".sin", at.sine);
        push(name, ".cos", at.cosine);
    }

    static double days(nb::handle span) {
        return PyDateTime_DELTA_GET_DAYS(span.ptr()) +
               (PyDateTime_DELTA_GET_SECONDS(span.ptr()) + PyDateTime_DELTA_GET_MICROSECONDS(span.ptr()) / 1e6) /
                   86'400.0;
    }

    void words(nb::handle text) {
        const nb::object folded = nb::steal(PyObject_CallMethod(text.ptr(), "casefold", nullptr));
        if (!folded.is_valid()) throw nb::python_error();
        const Utf8 utf8(folded);
        const std::string_view view = utf8;
        split_words(view, found_words_);
        const double weight = 1.0 / std::sqrt(static_cast<double>(found_words_.size()));
        for (const std::string_view word : found_words_) push(":", word, weight);
    }

    void push(std::string_view joint, std::string_view rest, double value, bool is_level = false) {
        if (entries_.size() == static_cast<std::size_t>(encoding_.most_values))
            raise_input_error(where() + " has more than " + std::to_string(encoding_.most_values) +
                              " values; expected at most most_values");
        const std::size_t begin = arena_.size();
        arena_.append(path_).append(joint).append(rest);
        const std::size_t size = arena_.size() - begin;
        entries_.push_back({xxh64({arena_.data() + begin, size}), value, is_level, begin, size});
    }

    void require_depth(int64_t depth) const {
        if (depth > encoding_.most_depth)
            raise_input_error(where() + " is nested more than " + std::to_string(encoding_.most_depth) +
                              " deep; expected at most most_depth");
    }

    [[noreturn]] void refuse(nb::handle value, const char* expected) const {
        raise_input_error(place() + " is " + shown(value) + "; expected " + expected);
    }

    std::string where() const { return number_ ? what_ + ("[" + std::to_string(*number_) + "]") : what_; }
    std::string place() const {
        if (path_.empty()) return where();
        return shortened(path_, 60) + " of " + where();
    }

    const Encoding& encoding_;
    const FeatureNames& names_;
    std::optional<int64_t> given_now_, now_;
    std::string what_;
    std::optional<std::size_t> number_;
    std::string path_, arena_;  // the names of all entries, one after the other
    std::vector<Entry> entries_;
    std::vector<Age> ages_;
    std::vector<std::string_view> found_words_;
    NewNames new_names_;
    int64_t left_out_ = 0;
};

}  // namespace warmcb
