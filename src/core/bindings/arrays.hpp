// NumPy arrays as arguments and results.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <initializer_list>
#include <new>
#include <stdexcept>
#include <vector>

namespace nb = nanobind;

namespace warmcb {

template <class T> using Array = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T> using Matrix = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T> using Numpy = nb::ndarray<nb::numpy, T>;

// What a part saves: arrays by name. The class only gives stubs the array's type.
class AnyArray : public nb::object {
    NB_OBJECT_DEFAULT(AnyArray, nb::object, "numpy.typing.NDArray[typing.Any]", nb::ndarray_check)
};
using State = nb::typed<nb::dict, nb::str, AnyArray>;

inline void require(bool condition, const char* message) {
    if (!condition) throw std::invalid_argument(message);
}

template <class T> Numpy<T> fresh_array(std::initializer_list<std::size_t> shape) {
    std::size_t size = 1;
    for (const std::size_t extent : shape)
        if (__builtin_mul_overflow(size, extent, &size)) throw std::bad_alloc();
    T* data = new T[size]();
    return Numpy<T>(data, shape, nb::capsule(data, [](void* p) noexcept { delete[] static_cast<T*>(p); }));
}

// The same without zeros, for an array that will be filled.
template <class T> Numpy<T> empty_array(std::size_t size) {
    T* data = new T[size];
    return Numpy<T>(data, {size}, nb::capsule(data, [](void* p) noexcept { delete[] static_cast<T*>(p); }));
}

template <class T> Numpy<T> as_array(std::vector<T>&& values) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Numpy<T>(kept->data(), {kept->size()}, owner);
}

}  // namespace warmcb
