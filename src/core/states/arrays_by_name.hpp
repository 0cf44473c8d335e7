// States as dictionaries of arrays. Arrays from a file are checked.
#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "bindings/arrays.hpp"

namespace warmcb {

template <class T> Numpy<T> copy_of(const std::vector<T>& values) { return as_array(std::vector<T>(values)); }

template <class T> void copy_from(const State& state, const char* name, std::vector<T>& to) {
    const auto array = nb::cast<Array<const T>>(state[name], false);
    require(array.size() == to.size(), "an array of the state has another size");
    if constexpr (std::is_floating_point_v<T>)
        require(std::all_of(array.data(), array.data() + array.size(), [](T x) { return std::isfinite(x); }),
                "an array of the state is not finite");
    std::copy(array.data(), array.data() + array.size(), to.begin());
}

template <class T> std::vector<T> array_from(const State& state, const char* name) {
    std::vector<T> values(nb::cast<Array<const T>>(state[name], false).size());
    copy_from(state, name, values);
    return values;
}

template <class T> bool none_negative(const std::vector<T>& values) {
    return std::all_of(values.begin(), values.end(), [](T x) { return x >= 0; });
}

}  // namespace warmcb
