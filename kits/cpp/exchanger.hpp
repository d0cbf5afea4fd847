// Counts the echoes of a client and prints its line: docs/contract.md, section 5.

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

// What has come back on one connection. One thread at a time uses it.
class Exchange {
public:
    explicit Exchange(Exchanger const& exchanger) : exchanger_{exchanger} {}

    // Counts one answer, and tells whether to send again; otherwise the connection is to be closed.
    bool answered(std::string_view answer, bool is_text);

    std::uint64_t echoed() const { return echoed_; }
    std::uint64_t wrong() const { return wrong_; }

private:
    Exchanger const& exchanger_;
    std::uint64_t echoed_ = 0;
    std::uint64_t wrong_ = 0;
};

// A client's echoes, and its line.
class Exchanger {
public:
    Exchanger(EchoSettings settings, Clock clock, std::ostream& output)
        : settings_{std::move(settings)}, clock_{std::move(clock)}, output_{output} {}

    // Makes the exchanger that the environment asks for, or ends the program. It is never
    // destroyed, because a library's threads may use it until the program ends.
    static Exchanger& from_environment() {
        return *new Exchanger{read_or_fail(EchoSettings::read), monotonic_ns, std::cout};
    }

    Url const& url() const { return settings_.url; }
    std::uint64_t connections() const { return settings_.connections; }
    std::string const& payload() const { return settings_.payload; }

    // To be called, from any thread, as soon as the library says that a connection is open.
    Exchange& opened() {
        std::lock_guard const guard{lock_};
        auto& exchange = exchanges_.emplace_back(*this);
        if (exchanges_.size() == settings_.connections) {
            begins_ns_ = clock_() + settings_.warm_up_ns;
        }
        return exchange;
    }

    // To be called last, when all connections are closed.
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
        bool goes_on;
    };

    // Whether what comes at this instant is counted, and whether it goes on.
    Phase phase() const {
        auto const begins_ns = begins_ns_.load(std::memory_order_relaxed);
        if (begins_ns == 0) return {false, true};
        // Asking the clock costs little beside an echo.
        auto const now_ns = clock_();
        bool const goes_on = now_ns < begins_ns + settings_.window_ns;
        return {goes_on && now_ns >= begins_ns, goes_on};
    }

    EchoSettings const settings_;
    Clock const clock_;
    std::ostream& output_;
    std::mutex lock_;
    std::deque<Exchange> exchanges_;
    // When the window begins; zero until the last connection is open.
    std::atomic<std::uint64_t> begins_ns_{0};
};

inline bool Exchange::answered(std::string_view answer, bool is_text) {
    auto const [is_counted, goes_on] = exchanger_.phase();
    if (!is_text || answer != exchanger_.payload()) {
        ++wrong_;
    } else if (is_counted) {
        ++echoed_;
    }
    return goes_on;
}

}  // namespace kit
