// Counts the echoes of a client and prints its line: docs/contract.md, section 5.

#pragma once

#include "settings.hpp"

#include <cstdint>
#include <iostream>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

namespace kit {

// Counts what comes back on all connections of a client. One thread uses it.
class Exchanger {
public:
    Exchanger(EchoSettings settings, Clock clock, std::ostream& output)
        : settings_{std::move(settings)}, clock_{std::move(clock)}, output_{output} {}

    Url const& url() const { return settings_.url; }
    std::uint64_t connections() const { return settings_.connections; }
    std::string const& payload() const { return settings_.payload; }

    // To be called as soon as the library says that a connection is open.
    void opened() {
        if (++opened_ == settings_.connections) begins_ns_ = clock_() + settings_.warm_up_ns;
    }

    // Counts one answer, and tells whether to send again; otherwise the connection is to be closed.
    bool answered(bool is_text, std::string_view answer) {
        auto const [is_counted, goes_on] = phase();
        if (!is_text || answer != settings_.payload) {
            ++wrong_;
        } else if (is_counted) {
            ++echoed_;
        }
        return goes_on;
    }

    // To be called last, when all connections are closed.
    void print_result() {
        output_ << R"({"event":"result","connections":)" << opened_  //
                << R"(,"echoed":)" << echoed_                        //
                << R"(,"wrong":)" << wrong_                          //
                << R"(,"window_ns":)" << settings_.window_ns << '}' << std::endl;
        if (!output_) fail(1, "cannot write to stdout");
    }

private:
    struct Phase {
        bool is_counted;
        bool goes_on;
    };

    // Whether what comes at this instant is counted, and whether it goes on.
    Phase phase() const {
        if (begins_ns_ == 0) return {false, true};
        // Asking the clock costs little beside an echo.
        auto const now_ns = clock_();
        bool const goes_on = now_ns < begins_ns_ + settings_.window_ns;
        return {goes_on && now_ns >= begins_ns_, goes_on};
    }

    EchoSettings const settings_;
    Clock const clock_;
    std::ostream& output_;
    std::uint64_t opened_ = 0;
    std::uint64_t echoed_ = 0;
    std::uint64_t wrong_ = 0;
    // When the window begins; zero until the last connection is open.
    std::uint64_t begins_ns_ = 0;
};

// Makes the exchanger that the environment asks for, or ends the program.
inline Exchanger exchanger_from_environment() {
    auto settings =
        read_or_fail([](auto const& environment) { return environment.echo_settings(); });
    return Exchanger{std::move(settings), monotonic_ns, std::cout};
}

}  // namespace kit
