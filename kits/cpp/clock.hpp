// The clock for all timestamps: docs/contract.md, clause 2.4.

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

namespace kit {

constexpr std::uint64_t second_ns = 1'000'000'000;

using Clock = std::function<std::uint64_t()>;

// On Linux, std::chrono::steady_clock is CLOCK_MONOTONIC.
inline std::uint64_t monotonic_ns() {
    auto const now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

}  // namespace kit
