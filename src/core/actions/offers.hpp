// Offers: the actions of a round, and how a learner predicts and learns them.
#pragma once

#include <atomic>

#include "contracts.hpp"
#include "actions/pairing.hpp"
#include "data/rows.hpp"

namespace warmcb {

class Offer {
public:
    virtual ~Offer() = default;

    virtual std::size_t actions() const = 0;
    // For each action whether it is allowed; null if all are.
    virtual const uint8_t* allowed() const { return nullptr; }
    // The expected costs: actions × lanes.
    virtual void predict(const Predictor& predictor, float* scores) const = 0;
    virtual void update(Learner& learner, const Outcome& outcome, const float* importance) const = 0;
    // 1/p, as a weight.
    virtual double inverse(double probability) const { return inverse_propensity(probability); }
};

// Numbered actions. The learner has a regressor for each.
class NumberedOffer : public Offer {
public:
    NumberedOffer(Row row, const uint8_t* allowed, std::size_t actions)
        : row_(row), allowed_(allowed), actions_(actions) {}

    std::size_t actions() const override { return actions_; }
    const uint8_t* allowed() const override { return allowed_; }
    void predict(const Predictor& predictor, float* scores) const override {
        predictor.predict(row_, scores);
        if (allowed_)
            for (std::size_t a = 0; a < actions_; ++a)
                if (!allowed_[a]) std::fill_n(scores + a * predictor.lanes, predictor.lanes, not_allowed);
    }
    void update(Learner& learner, const Outcome& outcome, const float* importance) const override {
        learner.update(row_, outcome, importance);
    }

private:
    Row row_;
    const uint8_t* allowed_;
    std::size_t actions_;
};

// Rounds with described actions: an optional context, and a row of features for each action.
class Offers {
public:
    // starts: the actions of round i are the rows from starts[i] to starts[i + 1]. identities: of each row, or null.
    Offers(const Rows* contexts, const Rows& actions, std::vector<int64_t> starts, const uint64_t* identities)
        : contexts_(contexts), actions_(actions), starts_(std::move(starts)), identities_(identities) {
        static std::atomic<uint64_t> count = 0;
        serial = ++count;
    }

    uint64_t serial;  // different for each object

    std::size_t size() const { return starts_.size() - 1; }
    std::size_t total() const { return actions_.size(); }
    std::size_t begin(std::size_t round) const { return static_cast<std::size_t>(starts_[round]); }
    std::size_t count(std::size_t round) const { return static_cast<std::size_t>(starts_[round + 1] - starts_[round]); }
    std::size_t context_features() const { return contexts_ ? contexts_->features() : 0; }
    std::size_t action_features() const { return actions_.features(); }

    Row context(std::size_t round, Rows::Buffer& buffer) const {
        if (contexts_) return contexts_->gather(round, buffer);
        buffer.index.assign(1, 0);
        buffer.value.assign(1, 1.0f);
        return {buffer.index.data(), buffer.value.data(), 1};
    }
    Row action(std::size_t round, std::size_t a, Rows::Buffer& buffer) const {
        Row row = actions_.gather(begin(round) + a, buffer);
        if (identities_) row.identity = identities_[begin(round) + a];
        return row;
    }

private:
    const Rows* contexts_;
    const Rows& actions_;
    std::vector<int64_t> starts_;
    const uint64_t* identities_;
};

// One of those rounds.
class DescribedOffer : public Offer {
public:
    DescribedOffer(const Pairing& pairing, const Offers& offers, std::size_t round)
        : pairing_(pairing), offers_(offers), round_(round), context_(offers.context(round, room().context)) {}

    std::size_t actions() const override { return offers_.count(round_); }

    void predict(const Predictor& predictor, float* scores) const override {
        if (pairing_.kind == Pairing::Kind::apart) predict_apart(predictor, scores);
        else predictor.predict_pairs({actions(), [this](std::size_t a) { return pair(a); }}, scores);
    }

    // The contribution of each term to the score of an action in one lane. Features of the context have the lower
    // numbers.
    std::vector<Contribution> explain(const Predictor& predictor, std::size_t a, std::size_t lane) const {
        if (pairing_.kind == Pairing::Kind::apart) return explain_apart(predictor, a, lane);
        const Row row = pair(a);
        std::vector<Contribution> contributions = predictor.explain(row, 0, lane);
        if (pairing_.kind == Pairing::Kind::crossed) pairing_.name_sources(context_, action(a), row, contributions);
        return contributions;
    }

    void update(Learner& learner, const Outcome& outcome, const float* importance) const override {
        if (pairing_.kind == Pairing::Kind::apart) return update_apart(learner, outcome, importance);
        meet(learner);
        Outcome of_pair = outcome;
        of_pair.scores += outcome.action * outcome.lanes;
        of_pair.actions = 1;
        of_pair.action = 0;
        learner.update(pair(outcome.action), of_pair, importance);
    }

    // costs: one for each action; NaN if it is unknown.
    void teach(WarmLearner& learner, const double* costs, const float* importance) const {
        if (pairing_.kind == Pairing::Kind::apart) return teach_apart(learner, costs, importance);
        meet(learner);
        for (std::size_t a = 0; a < actions(); ++a)
            if (!std::isnan(costs[a])) learner.teach(pair(a), costs + a, importance);
    }

    // 1/p is divided by the number of actions: with many actions p is small, and weights are about 1 on average.
    double inverse(double probability) const override {
        return inverse_propensity(probability) / static_cast<double>(actions());
    }

private:
    struct Room {
        Rows::Buffer context, action, pair;
        std::vector<float> scores, importance;
        std::vector<double> costs;
    };
    static Room& room() {
        static thread_local Room of_this_thread;
        return of_this_thread;
    }
    const Pairing& pairing_;
    const Offers& offers_;
    std::size_t round_;
    Row context_;

    Row action(std::size_t a) const { return offers_.action(round_, a, room().action); }
    Row pair(std::size_t a) const { return pairing_.pair(context_, action(a), room().pair); }

    void meet(Learner& learner) const {
        const auto [wanted, first] = learner.wants();
        const std::size_t count = std::min(actions(), wanted);
        for (std::size_t k = 0; k < count; ++k) learner.meet(pair((k * actions() / count + first) % actions()), k == 0);
    }

    // Each column of the descriptions has its own regressor. A row that is not one-hot has the mean of its columns, and
    // a row of zeros the mean of all. Labels of such rows are not learned.
    template <class Each> void for_columns(std::size_t a, Each&& each) const {
        const Row row = action(a);
        double total = 0;
        for (std::size_t k = 0; k + 1 < row.size; ++k) total += std::fabs(row.value[k]);
        if (total == 0)
            for (std::size_t j = 0; j < pairing_.actions; ++j) each(j, 1 / static_cast<double>(pairing_.actions));
        for (std::size_t k = 0; k + 1 < row.size; ++k) each(row.index[k], std::fabs(row.value[k]) / total);
    }

    void predict_apart(const Predictor& predictor, float* scores) const {
        const std::size_t lanes = predictor.lanes;
        std::vector<float>& said = room().scores;
        said.resize(predictor.actions * lanes);
        predictor.predict(context_, said.data());
        std::fill_n(scores, actions() * lanes, 0.0f);
        for (std::size_t a = 0; a < actions(); ++a)
            for_columns(a, [&](std::size_t column, double share) {
                for (std::size_t lane = 0; lane < lanes; ++lane)
                    scores[a * lanes + lane] += static_cast<float>(share) * said[column * lanes + lane];
            });
    }

    std::vector<Contribution> explain_apart(const Predictor& predictor, std::size_t a, std::size_t lane) const {
        std::vector<Contribution> contributions;
        for_columns(a, [&](std::size_t column, double share) {
            for (Contribution& one : predictor.explain(context_, column, lane))
                contributions.push_back({std::move(one.sources), share * one.amount});
        });
        return contributions;
    }

    const float* shared_out(const float* importance, std::size_t lanes, double share) const {
        std::vector<float>& weights = room().importance;
        weights.assign(importance, importance + lanes);
        for (float& weight : weights) weight *= static_cast<float>(share);
        return weights.data();
    }

    void update_apart(Learner& learner, const Outcome& outcome, const float* importance) const {
        std::vector<float>& said = room().scores;
        for_columns(outcome.action, [&](std::size_t column, double share) {
            said.resize(learner.actions * learner.lanes);
            learner.predict(context_, said.data());
            Outcome of_column = outcome;
            of_column.scores = said.data();
            of_column.actions = learner.actions;
            of_column.action = column;
            learner.update(context_, of_column, shared_out(importance, learner.lanes, share));
        });
    }

    void teach_apart(WarmLearner& learner, const double* costs, const float* importance) const {
        constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
        std::vector<double>& together = room().costs;
        together.assign(learner.actions, unknown);
        for (std::size_t a = 0; a < actions(); ++a)
            for_columns(a, [&](std::size_t column, double share) {
                if (std::isnan(together[column]) && share == 1) together[column] = costs[a];
            });
        learner.teach(context_, together.data(), importance);
    }
};

}  // namespace warmcb
