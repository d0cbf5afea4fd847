// Counts a client's echoes and prints its result line: docs/contract.md, section 5.

#pragma once

#include "clock.hpp"
#include "settings.hpp"

#include <atomic>
#include <cstdint>
#include <deque>
#include <iostream>
#include <mutex>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

namespace kit {

class Exchanger;

// Counts the echoes of one connection. Not thread-safe: use it from one thread at a time.
class Exchange {
public:
    explicit Exchange(Exchanger const& exchanger) : exchanger_{exchanger} {}

    // Counts one answer. Returns whether to send the next message; if not, close the connection.
    bool answered(std::string_view answer, bool is_text);

    std::uint64_t echoed() const { return echoed_; }
    std::uint64_t wrong() const { return wrong_; }

private:
    Exchanger const& exchanger_;
    std::uint64_t echoed_ = 0;
    std::uint64_t wrong_ = 0;
};

// Counts the echoes of all connections of a client and prints the result line.
class Exchanger {
public:
    Exchanger(EchoSettings settings, Clock clock, std::ostream& output)
        : settings_{std::move(settings)}, clock_{std::move(clock)}, output_{output} {}

    // Creates the exchanger that the environment variables describe, or ends the program. It is
    // never destroyed, because threads of the library may use it until the program ends.
    static Exchanger& from_environment() {
        return *new Exchanger{read_or_fail(EchoSettings::read), monotonic_ns, std::cout};
    }

    Url const& url() const { return settings_.url; }
    std::uint64_t connections() const { return settings_.connections; }
    std::string const& payload() const { return settings_.payload; }

    // Call this from any thread as soon as the library reports that a connection is open.
    Exchange& opened() {
        std::lock_guard const guard{lock_};
        auto& exchange = exchanges_.emplace_back(*this);
        if (exchanges_.size() == settings_.connections) {
            begins_ns_ = clock_() + settings_.warm_up_ns;
        }
        return exchange;
    }

    // Call this last, when all connections are closed.
    void finish() {
        std::uint64_t echoed = 0;
        std::uint64_t wrong = 0;
        for (auto const& exchange : exchanges_) {
            echoed += exchange.echoed();
            wrong += exchange.wrong();
        }
        output_ << R"({"event":"result","connections":)" << exchanges_.size()  //
                << R"(,"echoed":)" << echoed                                   //
                << R"(,"wrong":)" << wrong                                     //
                << R"(,"window_ns":)" << settings_.window_ns << '}' << std::endl;
        if (!output_) fail(1, "cannot write to stdout");
    }

private:
    friend class Exchange;

    struct Phase {
        bool is_counted;
        bool is_ongoing;
    };

    // Returns whether an echo received at this instant is counted, and whether the exchange
    // continues.
    Phase phase() const {
        auto const begins_ns = begins_ns_.load(std::memory_order_relaxed);
        if (begins_ns == 0) return {false, true};
        // Reading the clock is cheap compared with an echo.
        auto const now_ns = clock_();
        bool const is_ongoing = now_ns < begins_ns + settings_.window_ns;
        return {is_ongoing && now_ns >= begins_ns, is_ongoing};
    }

    EchoSettings const settings_;
    Clock const clock_;
    std::ostream& output_;
    std::mutex lock_;
    std::deque<Exchange> exchanges_;
    // Start of the window, in nanoseconds; 0 until the last connection is open.
    std::atomic<std::uint64_t> begins_ns_{0};
};

inline bool Exchange::answered(std::string_view answer, bool is_text) {
    auto const [is_counted, is_ongoing] = exchanger_.phase();
    if (!is_text || answer != exchanger_.payload()) {
        ++wrong_;
    } else if (is_counted) {
        ++echoed_;
    }
    return is_ongoing;
}

}  // namespace kit
