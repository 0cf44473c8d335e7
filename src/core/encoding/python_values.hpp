// Strings, dates and errors of Python.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string>
#include <string_view>

#include <datetime.h>  // Python's

#include "encoding/calendar.hpp"

namespace nb = nanobind;

namespace warmcb {

[[noreturn]] inline void raise_input_error(std::string message) {
    for (char& letter : message)
        if (letter >= 0 && letter < ' ') letter = ' ';  // keys can contain anything, but a message is one line
    const nb::object kind = nb::module_::import_("warmcb.errors").attr("InputError");
    PyErr_SetObject(kind.ptr(), nb::steal(PyUnicode_DecodeUTF8(message.data(), message.size(), "replace")).ptr());
    throw nb::python_error();
}

// The UTF-8 of a string. Halves of surrogate pairs, which JSON may contain, are written like characters.
class Utf8 {
public:
    explicit Utf8(nb::handle string) : string_(nb::borrow(string)) {
        Py_ssize_t size;
        if (const char* text = PyUnicode_AsUTF8AndSize(string.ptr(), &size)) {
            view_ = {text, static_cast<std::size_t>(size)};
            return;
        }
        PyErr_Clear();
        bytes_ = nb::steal(PyUnicode_AsEncodedString(string.ptr(), "utf-8", "surrogatepass"));
        if (!bytes_.is_valid()) throw nb::python_error();
        view_ = {PyBytes_AS_STRING(bytes_.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes_.ptr()))};
    }
    operator std::string_view() const { return view_; }

private:
    nb::object string_, bytes_;
    std::string_view view_;
};

inline std::string shown(nb::handle value) {
    const Utf8 text(nb::module_::import_("warmcb._messages").attr("shown")(value));
    return std::string(std::string_view(text));
}

// A date or a time, from the classes of Python's datetime.
inline std::optional<Moment> moment_of(nb::handle value) {
    PyObject* object = value.ptr();
    if (PyDateTime_CheckExact(object)) {
        const int64_t seconds = PyDateTime_DATE_GET_HOUR(object) * 3600 + PyDateTime_DATE_GET_MINUTE(object) * 60 +
                                PyDateTime_DATE_GET_SECOND(object);
        Moment moment{day_number(PyDateTime_GET_YEAR(object), PyDateTime_GET_MONTH(object), PyDateTime_GET_DAY(object)),
                      seconds * microseconds_of_second + PyDateTime_DATE_GET_MICROSECOND(object)};
        if (PyDateTime_DATE_GET_TZINFO(object) != Py_None) {
            const nb::object offset = value.attr("utcoffset")();
            if (PyDelta_Check(offset.ptr()))
                moment.offset = (PyDateTime_DELTA_GET_DAYS(offset.ptr()) * int64_t{86'400} +
                                 PyDateTime_DELTA_GET_SECONDS(offset.ptr())) * microseconds_of_second +
                                PyDateTime_DELTA_GET_MICROSECONDS(offset.ptr());
        }
        return moment;
    }
    if (PyDate_CheckExact(object))
        return Moment{day_number(PyDateTime_GET_YEAR(object), PyDateTime_GET_MONTH(object), PyDateTime_GET_DAY(object)),
                      {}};
    if (PyTime_CheckExact(object)) {
        const int64_t seconds = PyDateTime_TIME_GET_HOUR(object) * 3600 + PyDateTime_TIME_GET_MINUTE(object) * 60 +
                                PyDateTime_TIME_GET_SECOND(object);
        return Moment{{}, seconds * microseconds_of_second + PyDateTime_TIME_GET_MICROSECOND(object)};
    }
    return std::nullopt;
}

}  // namespace warmcb
