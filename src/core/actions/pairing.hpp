// How a context and a described action become one row for the learner.
#pragma once

#include "data/explain.hpp"
#include "data/rows.hpp"

namespace warmcb {

// `joint`: one row, the context's features before the action's; the learner computes products itself.
// `crossed`: products of features, and the action's identity, are further columns. If there are too many, they are
// hashed. `apart`: descriptions are one-hot, so actions share nothing. The row is that of the context, and each column
// of the descriptions is an action of the learner.
struct Pairing {
    enum class Kind { joint, crossed, apart };

    Kind kind;
    std::size_t contexts, actions;    // features of each
    std::size_t products, identities;  // the number of columns for products, in crossed pairs

    std::size_t features() const {
        switch (kind) {
        case Kind::joint: return contexts + actions;
        case Kind::crossed: return contexts + actions + products + identities;
        default: return contexts;
        }
    }

    std::size_t regressors() const { return kind == Kind::apart ? actions : 1; }

    // Valid until the next pair of this buffer. Both rows end with an intercept.
    Row pair(Row context, Row action, Rows::Buffer& buffer) const {
        const std::size_t of_context = context.size - 1, of_action = action.size - 1;
        const bool crosses = kind == Kind::crossed && products > 0;
        const std::size_t most = of_context + of_action + (crosses ? of_context * of_action : 0) + 2;
        if (buffer.index.size() < most) {
            buffer.index.resize(most);
            buffer.value.resize(most);
        }
        uint32_t* index = std::copy_n(context.index, of_context, buffer.index.data());
        float* value = std::copy_n(context.value, of_context, buffer.value.data());
        for (std::size_t k = 0; k < of_action; ++k) *index++ = static_cast<uint32_t>(contexts + action.index[k]);
        value = std::copy_n(action.value, of_action, value);
        if (crosses)
            for (std::size_t i = 0; i < of_context; ++i)
                for (std::size_t k = 0; k < of_action; ++k) {
                    *index = static_cast<uint32_t>(contexts + actions + product(context.index[i], action.index[k]));
                    *value = multiplied(context.value[i], action.value[k]);
                    const bool kept = counts(*value);
                    index += kept;
                    value += kept;
                }
        if (kind == Kind::crossed && action.identity != 0) {
            *index++ = static_cast<uint32_t>(contexts + actions + products + mixed(action.identity) % identities);
            *value++ = 1;
        }
        *index++ = static_cast<uint32_t>(features());
        *value++ = 1;
        return {buffer.index.data(), buffer.value.data(), static_cast<std::size_t>(value - buffer.value.data()),
                kind == Kind::joint ? action.identity : 0};
    }

    // Names the features of context and action behind each term of a crossed pair. Terms are in the order of the
    // features of the pair; several may share a column.
    void name_sources(Row context, Row action, Row pair, std::vector<Contribution>& contributions) const {
        const std::vector<std::vector<int64_t>> of_places = sources(context, action);
        std::size_t place = 0;
        for (Contribution& one : contributions) {
            if (one.sources.empty()) continue;
            while (static_cast<int64_t>(pair.index[place]) != one.sources[0]) ++place;
            one.sources = of_places[place++];
        }
    }

    // The column of a product, among the products.
    std::size_t product(uint64_t of_context, uint64_t of_action) const {
        const uint64_t pair = of_context * actions + of_action;
        return contexts * actions <= products ? pair : mixed(pair) % products;
    }

private:
    static constexpr float largest_product = 1e38f;  // the product of large features must fit in a float

    static float multiplied(float x, float y) { return std::clamp(x * y, -largest_product, largest_product); }
    static bool counts(float product) { return std::fabs(product) >= smallest_feature; }

    // The features behind each column of a crossed pair.
    std::vector<std::vector<int64_t>> sources(Row context, Row action) const {
        std::vector<std::vector<int64_t>> of_places;
        const auto described = [&](std::size_t k) { return static_cast<int64_t>(contexts + action.index[k]); };
        for (std::size_t i = 0; i + 1 < context.size; ++i) of_places.push_back({context.index[i]});
        for (std::size_t k = 0; k + 1 < action.size; ++k) of_places.push_back({described(k)});
        for (std::size_t i = 0; products > 0 && i + 1 < context.size; ++i)
            for (std::size_t k = 0; k + 1 < action.size; ++k)
                if (counts(multiplied(context.value[i], action.value[k])))
                    of_places.push_back({context.index[i], described(k)});
        if (action.identity != 0) of_places.push_back({of_identity});
        return of_places;
    }

    // The finaliser of MurmurHash3: every bit of the input changes half of the bits.
    static uint64_t mixed(uint64_t bits) {
        bits = (bits ^ (bits >> 33)) * 0xff51afd7ed558ccdULL;
        bits = (bits ^ (bits >> 33)) * 0xc4ceb9fe1a85ec53ULL;
        return bits ^ (bits >> 33);
    }
};

}  // namespace warmcb
