// Prints the lines of a receiving client: docs/contract.md, sections 3, 4 and 7.

#pragma once

#include "latency.hpp"
#include "sequence.hpp"
#include "settings.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <utility>

namespace kit {

struct Totals {
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
};

// Sum of the findings of all connections.
struct FeedOutcome {
    std::uint64_t wrong = 0;
    Verdicts sequence{};
    Latencies latencies{};
};

struct Outcome {
    std::size_t connections;
    Totals totals;
    std::uint64_t opened_ns;
    std::uint64_t received_ns;
    std::optional<FeedFormat> feed{};
    FeedOutcome feed_outcome{};
};

class Report {
public:
    Report(Lines lines, std::string name, std::ostream& output)
        : lines_{lines}, name_{std::move(name)}, output_{output} {}

    std::uint64_t seconds_printed() const { return second_; }

    // Prints what arrived since the last call; totals count from the opening.
    void print_second(Totals totals) {
        auto const messages = totals.messages - printed_.messages;
        auto const bytes = totals.bytes - printed_.bytes;
        if (lines_ == Lines::autoroute) {
            output_ << "messages received per second: " << messages;
        } else {
            output_ << R"({"event":"second","second":)" << second_ << R"(,"messages":)" << messages
                    << R"(,"bytes":)" << bytes << '}';
        }
        end_line();
        printed_ = totals;
        ++second_;
    }

    void print_result(Outcome const& outcome) {
        if (lines_ == Lines::autoroute) {
            auto const duration_ns = outcome.received_ns - outcome.opened_ns;
            auto const duration_ms = (duration_ns + 500'000) / 1'000'000;
            output_ << "AUTOROUTE " << name_ << " :: " << duration_ms << " ms";
        } else {
            output_ << R"({"event":"result","connections":)" << outcome.connections
                    << R"(,"messages":)" << outcome.totals.messages  //
                    << R"(,"bytes":)" << outcome.totals.bytes        //
                    << R"(,"opened_ns":)" << outcome.opened_ns       //
                    << R"(,"received_ns":)" << outcome.received_ns;
            if (outcome.feed) print_feed(*outcome.feed, outcome.feed_outcome);
            output_ << '}';
        }
        end_line();
    }

private:
    void print_feed(FeedFormat feed, FeedOutcome const& outcome) {
        output_ << R"(,"wrong":)" << outcome.wrong << R"(,"sequence":)";
        feed.has_number() ? output_ << outcome.sequence : output_ << "null";
        output_ << R"(,"latency_ns":)";
        feed.has_instant() ? output_ << outcome.latencies : output_ << "null";
    }

    void end_line() {
        if (!(output_ << std::endl)) fail(1, "cannot write to stdout");
    }

    Lines const lines_;
    std::string const name_;
    std::ostream& output_;
    Totals printed_;
    std::uint64_t second_ = 0;
};

}  // namespace kit
