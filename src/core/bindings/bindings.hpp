// What the bindings of the Python module warmcb._core share.
//
// The callers are the package's own classes. They have checked the values, and pass arrays of the right type and shape.
// Only what could read or write foreign memory is checked again.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <tuple>

#include "bindings/arrays.hpp"
#include "contracts.hpp"
#include "actions/offers.hpp"
#include "data/rows.hpp"

namespace warmcb {

using namespace nb::literals;

void bind_data(nb::module_& m);       // Stream, Rows, Costs
void bind_offers(nb::module_& m);     // Pairing, Offers
void bind_learners(nb::module_& m);
void bind_selectors(nb::module_& m);
void bind_explorers(nb::module_& m);
void bind_counts(nb::module_& m);     // Trial, Optimism, CostUnit
void bind_rounds(nb::module_& m);     // Snapshot, Composition
void bind_ucb(nb::module_& m);        // LowerConfidenceBounds and its rounds
void bind_features(nb::module_& m);   // FeatureHasher

inline const Kernels& kernels_named(const std::optional<std::string>& name) {
    for (const Kernels* kernels : available_kernels())
        if (!name || *name == kernels->name) return *kernels;
    throw std::invalid_argument("instruction set not available on this machine: " + *name);
}

inline void require_width(const Predictor& predictor, const Rows& rows) {
    require(rows.features() + 1 == predictor.inputs, "number of features differs from the learner's");
}

// Offers of another width would read or write foreign memory.
inline void require_offers(const Predictor& predictor, const Pairing& pairing, const Offers& offers) {
    require(pairing.contexts == offers.context_features() && pairing.actions == offers.action_features(),
            "offers with another number of features");
    require(pairing.features() + 1 == predictor.inputs && predictor.actions == pairing.regressors(),
            "pairs with another number of features");
}
inline void require_offer(const Predictor& predictor, const Pairing& pairing, const Offers& offers, std::size_t i) {
    require_offers(predictor, pairing, offers);
    require(i < offers.size(), "offer out of range");
}

// The origins of lanes (with_lanes); -1 for a new one.
inline std::vector<std::size_t> checked_origins(const std::vector<int64_t>& origins, std::size_t lanes) {
    std::vector<std::size_t> checked;
    for (const int64_t origin : origins) {
        require(-1 <= origin && origin < static_cast<int64_t>(lanes), "lane out of range");
        checked.push_back(origin < 0 ? from_nothing : static_cast<std::size_t>(origin));
    }
    require(!checked.empty(), "at least one lane");
    return checked;
}

inline void require_actions(const Array<const int32_t>& actions, std::size_t known) {
    for (std::size_t i = 0; i < actions.size(); ++i)
        require(0 <= actions(i) && static_cast<std::size_t>(actions(i)) < known, "action out of range");
}

// Rows in CSR form: values, indices, starts.
using RowArrays = std::tuple<Numpy<float>, Numpy<int32_t>, Numpy<int64_t>>;

inline void require_allowed(const std::optional<Array<const uint8_t>>& allowed, std::size_t actions) {
    require(!allowed || allowed->size() == actions, "one mark for each action");
}

// Which actions are allowed in each row.
using Mask = std::optional<Matrix<const uint8_t>>;

inline void require_mask(const Mask& mask, std::size_t rows, std::size_t actions) {
    require(!mask || (mask->shape(0) == rows && mask->shape(1) == actions), "a mask of another shape");
}

inline const uint8_t* mask_row(const Mask& mask, std::size_t i) {
    return mask ? mask->data() + i * mask->shape(1) : nullptr;
}

}  // namespace warmcb
