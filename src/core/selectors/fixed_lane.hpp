// A selector that always chooses the same lane.
#pragma once

#include "contracts.hpp"

namespace warmcb {

class FixedLane : public Selector {
public:
    FixedLane(std::size_t lane, std::size_t lanes) : lane_(lane), lanes_(lanes) {}

    std::size_t lanes() const override { return lanes_; }
    std::size_t best() const override { return lane_; }
    void mark_eligible(uint8_t* marks, std::size_t lanes) const override {
        for (std::size_t lane = 0; lane < lanes; ++lane) marks[lane] = lane == lane_;
    }
    void add(const Outcome&) override {}

private:
    std::size_t lane_, lanes_;
};

}  // namespace warmcb
