// Latencies as counts of rounded nanoseconds: docs/contract.md, clause 7.5.

#pragma once

#include <cstdint>
#include <map>
#include <ostream>
#include <unordered_map>

namespace kit {

// Rounds to three significant digits; a half is rounded up.
inline std::uint64_t round_latency(std::uint64_t latency_ns) {
    std::uint64_t unit = 1;
    while (latency_ns / unit >= 1000) unit *= 10;
    return (latency_ns + unit / 2) / unit * unit;
}

// Number of messages per rounded latency.
class Latencies {
public:
    void record(std::uint64_t latency_ns) { ++counts_[round_latency(latency_ns)]; }

    void merge(Latencies const& other) {
        for (auto const& [rounded_ns, count] : other.counts_) counts_[rounded_ns] += count;
    }

    std::uint64_t count() const {
        std::uint64_t sum = 0;
        for (auto const& [rounded_ns, count] : counts_) sum += count;
        return sum;
    }

    // Writes a JSON object in ascending order of latency.
    friend std::ostream& operator<<(std::ostream& output, Latencies const& latencies) {
        std::map<std::uint64_t, std::uint64_t> const sorted{latencies.counts_.begin(),
                                                            latencies.counts_.end()};
        char const* separator = "{";
        for (auto const& [rounded_ns, count] : sorted) {
            output << separator << '"' << rounded_ns << "\":" << count;
            separator = ",";
        }
        return output << (sorted.empty() ? "{}" : "}");
    }

private:
    std::unordered_map<std::uint64_t, std::uint64_t> counts_;
};

}  // namespace kit
