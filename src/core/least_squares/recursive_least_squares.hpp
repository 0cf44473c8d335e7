// Recursive least squares with nonlinear terms, translated labels and several memories. No learning rate is needed.
#pragma once

#include <bit>
#include <optional>

#include "least_squares/memories.hpp"

namespace warmcb {

// Nested models, each of them exact least squares after each example: from a constant for each action, over features
// and their squares, to bends that can fit any function. Each lane mixes its models and those with shorter memories
// (memories.hpp), so that models that do not help get no weight.
//
// The units of features come from the first `settled_at` examples. Until then examples are kept, and all models are
// fitted again whenever the number of examples has doubled. After that the units are fixed. The first rounds are also
// kept as long as the unit of costs may change. If it does, the models start again from what the labels taught.
class RecursiveLeastSquares : public WarmLearner {
public:
    struct Options {
        std::size_t contexts;  // the number of features of the context, if rows describe actions; else not_described
        bool crosses;          // whether products of features of the context and of the action are terms
        // the most terms of exact models, without bends and later terms; rows with more features are wide
        std::size_t widest;
        bool squares;
        std::size_t bends;                   // the number of bends; 0 for none
        // terms for the predictions of labels; the most products of them with features (if more, none)
        std::size_t translations, products;
        double ridge, intercept_ridge;
        double cross_ridge;
        double bend_ridge;  // for 192 bends; in proportion to their number
        double first_guess;
        uint64_t settled_at;
        double half_life;  // the half-life of rounds; 0: memories decide
        FeatureUnits::Options units;
        Memories::Options memories;
        Identities::Options identities;
    };
    static constexpr std::size_t not_described = std::numeric_limits<std::size_t>::max();

    // An example that is kept, to be learned again: a label, or a round with its action and cost.
    struct Example {
        std::vector<uint32_t> index;
        std::vector<float> value, importance;
        std::vector<double> costs;
        std::size_t action = 0;
        uint64_t identity = 0;
        uint64_t age = 0;  // the number of rounds that were learned between the decision and its cost

        Row row() const { return {index.data(), value.data(), index.size(), identity}; }
    };

    RecursiveLeastSquares(std::size_t features, std::size_t actions, std::size_t lanes, Options of_learner,
                          const Kernels& kernels)
        : WarmLearner(features, actions, lanes, kernels), options(std::move(of_learner)), terms(empty_terms()),
          models(fresh_models()), memories(fresh_memories()) {}

    const Options options;
    Terms terms;
    LaneModels models;  // memories are additional lanes
    Memories memories;
    std::optional<LaneModels> taught;  // the models after the labels alone, as long as the first rounds are kept
    std::vector<Example> labels_kept, rounds_kept;
    std::vector<Example> met;  // rows of actions that were on offer, for the units of features
    // fitted: the number of examples when the units were last renewed
    uint64_t seen = 0, fitted = 0, labels = 0, rounds = 0;

    bool is_whole() const { return inputs <= options.widest; }
    bool bends() const { return !terms.bends.empty(); }
    bool settled() const { return fitted >= options.settled_at; }
    bool describes() const { return options.contexts != not_described; }
    std::size_t features() const { return inputs - 1; }

    // The weight of an example does not depend on the probability of its action.
    bool weighs_by_propensity() const override { return false; }

    void predict(Row row, float* scores) const override {
        mixture().predict(kernels, terms.expand(row, true), models.weights, models.identities, scores);
    }

    void predict_pairs(const Pairs& pairs, float* scores) const override {
        score_pairs(mixture(), kernels, terms, models.weights, models.identities, pairs, scores);
    }

    std::vector<Contribution> explain(Row row, std::size_t action, std::size_t lane) const override {
        return mixture().explain(terms, row, models.weights, models.identities, action, lane);
    }

    // If rows describe actions, units come from all actions on offer, as those that are played are not a fair sample.
    std::pair<std::size_t, uint64_t> wants() const override { return {settled() ? 1 : 8, seen}; }
    void meet(Row row, bool first) override {
        seen += first;
        if (!settled()) met.push_back(kept(row, nullptr));
        else if (is_whole()) terms.units.watch(terms.spell_out(Terms::without_intercept(row)));
    }

    void update(Row row, const Outcome& outcome, const float* importance) override {
        if (std::all_of(importance, importance + lanes, [](float weight) { return weight == 0; })) return;
        ++rounds;
        if (rounds > kept_rounds && settled()) {
            rounds_kept.clear();
            labels_kept.clear();
            taught.reset();
            see(row);
            learn(row, outcome.action, outcome.cost, outcome.age, importance, rounds);
            return;
        }
        if (!taught) taught = models;
        rounds_kept.push_back(kept(row, importance));
        rounds_kept.back().action = outcome.action;
        rounds_kept.back().costs = {outcome.cost};
        rounds_kept.back().age = outcome.age;
        if (see(row)) start_anew();
        else learn(row, outcome.action, outcome.cost, outcome.age, importance, rounds);
    }

    void teach(Row row, const double* costs, const float* importance) override {
        ++labels;
        if (!settled()) {
            labels_kept.push_back(kept(row, importance));
            labels_kept.back().costs.assign(costs, costs + actions);
        }
        if (see(row)) {
            start_anew();
            return;
        }
        teach(models, row, costs, importance);
        if (taught) teach(*taught, row, costs, importance);
        listen();
    }

    // A new action starts with the units of features only: the covariances of other actions would make it learn slowly.
    void add_action() override {
        ++actions;
        models.add_action();
        if (taught) taught->add_action();
        for (Example& label : labels_kept) label.costs.push_back(std::numeric_limits<double>::quiet_NaN());
    }

    std::unique_ptr<WarmLearner> with_lanes(const std::vector<std::size_t>& origins) const override {
        auto changed = std::make_unique<RecursiveLeastSquares>(features(), actions, origins.size(), options, kernels);
        std::vector<std::size_t> of_models = origins;
        for (std::size_t memory = 0; memory < memories.count(); ++memory) of_models.push_back(lanes + memory);
        changed->terms = terms;
        changed->models = models.with_lanes(of_models);
        changed->memories = memories.with_lanes(origins);
        if (taught) changed->taught = taught->with_lanes(of_models);
        changed->labels_kept = with_lanes(labels_kept, origins);
        changed->rounds_kept = with_lanes(rounds_kept, origins);
        changed->met = met;
        std::tie(changed->seen, changed->fitted, changed->labels, changed->rounds) =
            std::tie(seen, fitted, labels, rounds);
        return changed;
    }

    void rescale(double a, double b) override {
        for (Example& round : rounds_kept) round.costs[0] = a * round.costs[0] + b;
        if (rounds > 0 && rounds_kept.size() == rounds) {
            learn_rounds_again();
            return;
        }
        for (std::size_t lane = 0; lane < models.lanes(); ++lane)
            if (memories.ages[lane] > 0) models.rescale(lane, a, b);  // labels have their own unit
    }

    uint64_t changes() const override { return memories.changes; }
    double memory(std::size_t lane) const override {
        return options.half_life > 0 ? std::min(memories.memory(lane), options.half_life / std::log(2))
                                     : memories.memory(lane);
    }

    std::unique_ptr<Predictor> snapshot() const override {
        std::vector<double> memories_of_lanes(lanes);
        for (std::size_t lane = 0; lane < lanes; ++lane) memories_of_lanes[lane] = memory(lane);
        return std::make_unique<MixedModel>(terms, models.weights, models.identities, memories.mixture,
                                            std::move(memories_of_lanes), kernels);
    }

    Memories fresh_memories() const { return Memories(lanes, terms.sizes().size(), options.memories); }

    LaneModels fresh_models() const {
        std::vector<Forgetting> forgetting(lanes, {0, options.half_life});
        for (const double half_life : options.memories.half_lives)
            forgetting.push_back(Forgetting::by_walking(half_life));
        std::vector<float> prior(terms.size(), static_cast<float>(1 / options.ridge));
        prior[0] = static_cast<float>(1 / options.intercept_ridge);
        std::fill_n(prior.begin() + static_cast<std::ptrdiff_t>(terms.plain()), terms.crossings(),
                    static_cast<float>(1 / options.cross_ridge));
        const auto of_bends = static_cast<float>(192 / (options.bend_ridge * static_cast<double>(terms.bends.size())));
        std::fill_n(prior.begin() + static_cast<std::ptrdiff_t>(terms.base() + terms.translations), terms.bends.size(),
                    of_bends);
        return LaneModels(actions, terms.sizes(), prior, forgetting, options.identities, is_whole(),
                          static_cast<float>(options.first_guess), kernels);
    }

private:
    static constexpr uint64_t kept_rounds = 128;  // the unit of costs may change at any time until then (cost_unit.hpp)

    Terms empty_terms() const {
        const std::size_t contexts = describes() ? options.contexts : 0;
        Terms empty{features(),
                    contexts,
                    options.crosses,
                    is_whole(),
                    FeatureUnits(features(), is_whole(), options.units),
                    {},
                    0,
                    0,
                    {},
                    {}};
        if (options.bends == 0 || !is_whole() || features() == contexts) return empty;
        empty.bends = draw_bends(options.bends, features(), contexts);
        empty.translations = options.translations;
        const std::size_t pairs = options.translations * features();
        empty.products = pairs <= options.products ? pairs : 0;
        return empty;
    }

    Example kept(Row row, const float* importance) const {
        return {{row.index, row.index + row.size}, {row.value, row.value + row.size},
                {importance, importance + (importance ? lanes : 0)}, {}, 0, row.identity};
    }

    static std::vector<Example> with_lanes(std::vector<Example> examples, const std::vector<std::size_t>& origins) {
        for (Example& example : examples) {
            std::vector<float> importance;
            for (const std::size_t origin : origins)
                importance.push_back(origin == from_nothing ? 0.0f : example.importance[origin]);
            example.importance = std::move(importance);
        }
        return examples;
    }

    Mixture mixture() const { return {models.models(), lanes, memories.experts(), memories.mixture.data()}; }

    // Counts an example, and returns whether the units of features have to be renewed.
    bool see(Row row) {
        seen += !describes();  // otherwise offers are counted, as all rows of an offer have the same context
        row = Terms::without_intercept(row);
        if (is_whole()) {
            const float* x = terms.spell_out(row);
            for (std::size_t j = 0; j < features(); ++j) terms.units.notice(j, x[j]);
            if (settled() && !describes()) terms.units.watch(x);
        } else {
            for (std::size_t k = 0; k < row.size; ++k) terms.units.notice(row.index[k], row.value[k]);
        }
        return !settled() && (seen >= options.settled_at || (seen >= 4 && std::bit_floor(seen) > fitted));
    }

    void start_anew() {
        fitted = seen;
        std::vector<Row> rows;
        for (const auto* examples : {&labels_kept, &rounds_kept, &met}) {
            if (describes() && examples != &met) continue;
            for (const Example& example : *examples) rows.push_back(Terms::without_intercept(example.row()));
        }
        if (is_whole()) {
            std::vector<std::vector<float>> dense;
            for (const Row& row : rows) dense.emplace_back(terms.spell_out(row), terms.spell_out(row) + features());
            terms.units.fit(dense);
        } else {
            terms.units.fit_scales(rows);
        }
        terms.squared.clear();
        for (std::size_t j = 0; options.squares && is_whole() && j < features() && terms.base() < options.widest; ++j)
            if (terms.units.varied[j]) terms.squared.push_back(static_cast<uint32_t>(j));
        if (settled()) met.clear();
        models = fresh_models();
        memories = fresh_memories();
        for (const Example& label : labels_kept)
            teach(models, label.row(), label.costs.data(), label.importance.data());
        listen();
        if (rounds == 0) return;
        taught = models;
        learn_rounds_again();
    }

    void learn_rounds_again() {
        models = *taught;
        memories = fresh_memories();
        uint64_t round = 0;
        for (const Example& example : rounds_kept)
            learn(example.row(), example.action, example.costs[0], example.age, example.importance.data(), ++round);
    }

    void teach(LaneModels& some, Row row, const double* costs, const float* importance) {
        const Row phi = terms.expand(row, false);
        importance_.assign(importance, importance + lanes);
        importance_.resize(lanes + memories.count());  // memories do not learn labels
        if (describes()) some.learn(phi, 0, static_cast<float>(costs[0]), importance_, rounds);
        else some.teach(phi, costs, importance_);
    }

    void learn(Row row, std::size_t action, double cost, uint64_t age, const float* importance, uint64_t now) {
        const Row phi = terms.expand(row, true);
        const float* said = models.forecast(phi, action).data();
        forecasts_.clear();
        for (std::size_t lane = 0; lane < lanes; ++lane)
            for (std::size_t e = 0; e < memories.experts(); ++e)
                forecasts_.push_back(mixture().expert(said, models.lanes(), lane, e));
        memories.add(cost, age, forecasts_.data(), models, importance);
        importance_.assign(importance, importance + lanes);
        importance_.resize(models.lanes(), importance[lanes - 1]);
        if (!memories.tries_candidate()) importance_.back() = 0;
        models.learn(phi, action, static_cast<float>(cost), importance_, now);
    }

    // The first lane has learned most from labels, so its predictions become terms.
    void listen() {
        if (terms.translations == 0 || labels == 0) return;
        const std::size_t spoken = std::min(terms.translations, actions);
        const auto& sizes = models.weights.sizes;
        const auto model =
            static_cast<std::size_t>(std::find(sizes.begin(), sizes.end(), terms.base()) - sizes.begin());
        terms.translator.weights.assign(terms.base() * terms.translations, 0.0f);
        terms.translator.inverse.assign(terms.translations, 0.0f);
        for (std::size_t a = 0; a < spoken; ++a) {
            double variance = 0;
            for (std::size_t term = 1; term < terms.base(); ++term) {
                const float weight = models.weights.at(model, term, a)[0];
                terms.translator.weights[term * terms.translations + a] = weight;
                variance += (term <= features() || term >= terms.plain() ? 1 : 0.5) * weight * weight;
            }
            if (variance > least_variance) terms.translator.inverse[a] = static_cast<float>(1 / std::sqrt(variance));
        }
    }

    // of predicted unit costs: below it, labels do not inform about an action
    static constexpr double least_variance = 1e-4;

    std::vector<float> importance_;
    std::vector<double> forecasts_;
};

}  // namespace warmcb
