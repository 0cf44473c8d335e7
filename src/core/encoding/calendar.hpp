// Dates and times: read from ISO 8601, and placed on the cycles of day, week and year. Only integers, sums and products
// are used, so that every machine and every C library gives the same bits.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace warmcb {

constexpr int64_t microseconds_of_second = 1'000'000, microseconds_of_day = 86'400 * microseconds_of_second;

// A date, a time of day, or both, in local time.
struct Moment {
    std::optional<int64_t> day;      // since 1970-01-01
    std::optional<int64_t> time;     // microseconds since midnight
    int64_t offset = 0;              // microseconds that the clock is ahead of UTC

    int64_t instant() const { return *day * microseconds_of_day + time.value_or(0) - offset; }
};

inline bool is_leap(int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

inline int64_t days_before_year(int64_t year) {  // since 0001-01-01
    const int64_t before = year - 1;
    return before * 365 + before / 4 - before / 100 + before / 400;
}

inline int64_t days_before_month(int64_t year, int64_t month) {
    constexpr int days[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};
    return days[month - 1] + (month > 2 && is_leap(year));
}

constexpr int64_t days_before_1970 = 719'162;

inline int64_t day_number(int64_t year, int64_t month, int64_t day) {
    return days_before_year(year) - days_before_1970 + days_before_month(year, month) + day - 1;
}

// The position of a day in its year and in its week, from 0 to below 1.
struct Turns {
    double season, weekday;
};

inline Turns turns_of_day(int64_t day) {
    const int64_t since_first = day + days_before_1970;
    int64_t year = since_first / 366 + 1;  // never too late
    while (days_before_year(year + 1) <= since_first) ++year;
    const double in_year = static_cast<double>(since_first - days_before_year(year));
    return {in_year / (365 + is_leap(year)), static_cast<double>(since_first % 7) / 7.0};  // 0001-01-01 was a Monday
}

// Sine and cosine of 2π·turn for a turn in [0, 1).
struct Circle {
    double sine, cosine;
};

inline Circle circle(double turn) {
    const int quarter = static_cast<int>(turn * 4 + 0.5);
    const double x = (turn - quarter * 0.25) * 6.283185307179586, square = x * x;  // |x| ≤ π/4
    double sine = 0.0, cosine = 0.0;
    for (int k = 18; k >= 2; k -= 2) {  // Taylor's series, the smallest terms first
        cosine = (1.0 + cosine) * (-square / (k * (k - 1)));
        sine = (1.0 + sine) * (-square / (k * (k + 1)));
    }
    sine = (1.0 + sine) * x, cosine = 1.0 + cosine;
    switch (quarter % 4) {
    case 0: return {sine, cosine};
    case 1: return {cosine, -sine};
    case 2: return {-sine, -cosine};
    default: return {-cosine, sine};
    }
}

// Reads YYYY-MM-DD, then perhaps T or a space and hh:mm[:ss[.f]], then perhaps Z or ±hh[[:]mm]. Nothing else is a date.
class IsoReader {
public:
    explicit IsoReader(std::string_view text) : text_(text) {}

    std::optional<Moment> read() {
        int64_t year, month, day;
        if (!(digits(4, year) && skip('-') && digits(2, month) && skip('-') && digits(2, day))) return std::nullopt;
        if (year < 1 || month < 1 || month > 12 || day < 1 || day > days_of_month(year, month)) return std::nullopt;
        Moment moment{day_number(year, month, day), std::nullopt};
        if (text_.empty()) return moment;
        if (!(skip('T') || skip(' ')) || !time(moment) || !offset(moment) || !text_.empty()) return std::nullopt;
        return moment;
    }

private:
    static int64_t days_of_month(int64_t year, int64_t month) {
        return days_before_month(year, month + 1) - days_before_month(year, month);
    }

    bool time(Moment& moment) {
        int64_t hour, minute, second = 0, fraction = 0;
        if (!(digits(2, hour) && skip(':') && digits(2, minute))) return false;
        if (skip(':')) {
            if (!digits(2, second)) return false;
            if (skip('.')) {
                int64_t unit = microseconds_of_second / 10, digit;
                if (!digits(1, digit)) return false;
                do {
                    fraction += digit * unit;  // digits beyond microseconds are cut off
                    unit /= 10;
                } while (digits(1, digit));
            }
        }
        if (hour > 23 || minute > 59 || second > 59) return false;
        moment.time = (hour * 3600 + minute * 60 + second) * microseconds_of_second + fraction;
        return true;
    }

    bool offset(Moment& moment) {
        if (text_.empty() || skip('Z')) return true;
        const bool behind = skip('-');
        if (!behind && !skip('+')) return false;
        int64_t hours, minutes = 0;
        if (!digits(2, hours)) return false;
        if (!text_.empty()) {
            skip(':');
            if (!digits(2, minutes)) return false;
        }
        if (hours > 23 || minutes > 59) return false;
        moment.offset = (hours * 3600 + minutes * 60) * microseconds_of_second * (behind ? -1 : 1);
        return true;
    }

    bool digits(std::size_t count, int64_t& value) {
        if (text_.size() < count) return false;
        value = 0;
        for (std::size_t i = 0; i < count; ++i) {
            if (text_[i] < '0' || text_[i] > '9') return false;
            value = value * 10 + (text_[i] - '0');
        }
        text_.remove_prefix(count);
        return true;
    }

    bool skip(char wanted) {
        if (text_.empty() || text_.front() != wanted) return false;
        text_.remove_prefix(1);
        return true;
    }

    std::string_view text_;
};

}  // namespace warmcb
