// The column of each name, and the names that were seen in each column. Any number of threads may read and add names.
#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace warmcb {

// The beginning of a name that has more than `longest` bytes, cut between two characters.
inline std::string shortened(std::string_view name, std::size_t longest) {
    if (name.size() <= longest) return std::string(name);
    while (longest > 0 && (static_cast<unsigned char>(name[longest]) & 0xC0) == 0x80) --longest;
    return std::string(name.substr(0, longest)) + "…";
}

// Names by their hashes. Two names are assumed to differ in their 64 bits.
using NewNames = std::unordered_map<uint64_t, std::string>;

class FeatureNames {
public:
    // known: the hashes of names that have a column each, in ascending order. All other names share a few columns.
    // Without known names there are 2^bits columns.
    FeatureNames(int bits, std::size_t most, std::vector<uint64_t> known)
        : known_(std::move(known)), shift_(64 - bits), most_(most) {}

    int32_t column(uint64_t hash) const {
        if (known_.empty()) return static_cast<int32_t>(hash >> shift_);
        const auto found = std::lower_bound(known_.begin(), known_.end(), hash);
        if (found != known_.end() && *found == hash) return static_cast<int32_t>(found - known_.begin());
        return static_cast<int32_t>(known_.size() + hash % shared_columns);
    }

    int64_t columns() const {
        return known_.empty() ? int64_t{1} << (64 - shift_) : static_cast<int64_t>(known_.size() + shared_columns);
    }

    // Adds unknown names of entries to `found`, and the number of those without a place to `left_out`.
    template <class Entry, class NameOf>
    void look_up(const std::vector<Entry>& entries, NameOf name_of, NewNames& found, int64_t& left_out) const {
        const std::lock_guard lock(mutex_);
        for (const Entry& entry : entries) {
            if (is_known(entry.hash) || found.contains(entry.hash)) continue;
            if (count_ + found.size() < most_) found.emplace(entry.hash, shortened(name_of(entry), longest_name));
            else ++left_out;
        }
    }

    void add(NewNames&& found, int64_t left_out) {
        if (found.empty() && left_out == 0) return;
        const std::lock_guard lock(mutex_);
        insert(std::move(found), left_out);
    }

    void replace(NewNames&& names, int64_t left_out) {
        const std::lock_guard lock(mutex_);
        by_column_.clear();
        count_ = collisions_ = 0;
        left_out_ = 0;
        insert(std::move(names), left_out);
    }

    std::vector<std::string> of_column(int32_t column) const {
        std::vector<std::string> names;
        {
            const std::lock_guard lock(mutex_);
            if (const auto found = by_column_.find(column); found != by_column_.end())
                for (const auto& [hash, name] : found->second) names.push_back(name);
        }
        std::sort(names.begin(), names.end());
        return names;
    }

    struct Counts {
        std::size_t names, columns, collisions;
        int64_t left_out;
    };

    Counts counts() const {
        const std::lock_guard lock(mutex_);
        return {count_, by_column_.size(), collisions_, left_out_};
    }

    using Name = std::pair<uint64_t, std::string>;

    // All names in the order of their hashes, and the number of names that were left out.
    std::pair<std::vector<Name>, int64_t> all() const {
        std::vector<Name> names;
        const std::lock_guard lock(mutex_);
        names.reserve(count_);
        for (const auto& [column, some] : by_column_) names.insert(names.end(), some.begin(), some.end());
        std::sort(names.begin(), names.end());
        return {std::move(names), left_out_};
    }

private:
    static constexpr std::size_t shared_columns = 8;
    static constexpr std::size_t longest_name = 200;

    void insert(NewNames&& found, int64_t left_out) {
        left_out_ += left_out;
        for (auto& [hash, name] : found) {
            if (is_known(hash)) continue;
            if (count_ == most_) {
                ++left_out_;
                continue;
            }
            auto& names = by_column_[column(hash)];
            names.emplace_back(hash, std::move(name));
            ++count_;
            collisions_ += names.size() == 2;
        }
    }

    bool is_known(uint64_t hash) const {
        const auto found = by_column_.find(column(hash));
        if (found == by_column_.end()) return false;
        return std::any_of(found->second.begin(), found->second.end(),
                           [&](const Name& name) { return name.first == hash; });
    }

    std::vector<uint64_t> known_;
    int shift_;
    std::size_t most_, count_ = 0, collisions_ = 0;
    int64_t left_out_ = 0;
    std::unordered_map<int32_t, std::vector<Name>> by_column_;
    mutable std::mutex mutex_;
};

}  // namespace warmcb
