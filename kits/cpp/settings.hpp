// Reads what the environment asks of a client: docs/contract.md, sections 3 and 5.

#pragma once

#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace kit {

using Clock = std::function<std::uint64_t()>;

// Ends the program with its reason as the last line on stderr. Other threads may be at work, so
// nothing is destroyed; what was printed has been flushed.
[[noreturn]] inline void fail(int status, std::string_view reason) {
    std::cerr << reason << std::endl;
    std::_Exit(status);
}

struct Url {
    std::string authority;  // host:port as written, for the Host header
    std::string host;
    std::string port;
    std::string target;  // path and query
};

enum class Lines { json, autoroute };

enum class Workload { receive, echo };

// Of a client that receives.
struct Settings {
    Url url;
    std::uint64_t messages = 0;
    std::uint64_t connections = 1;
    Lines lines = Lines::json;
};

// Of a client that exchanges echoes.
struct EchoSettings {
    Url url;
    std::uint64_t connections = 1;
    std::string payload = "hello world";
    std::uint64_t warm_up_ns = 0;
    std::uint64_t window_ns = 0;
};

inline std::optional<std::uint64_t> parse_number(std::string_view text) {
    std::uint64_t number = 0;
    auto const end = text.data() + text.size();
    auto const [parsed, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc{} || parsed != end) return std::nullopt;
    return number;
}

// Splits ws://host:port/path. Without a port it is 80, without a path /.
inline std::optional<Url> parse_url(std::string_view text) {
    constexpr std::string_view scheme = "ws://";
    if (text.substr(0, scheme.size()) != scheme) return std::nullopt;
    text.remove_prefix(scheme.size());

    auto const authority = text.substr(0, text.find('/'));
    auto const target = text.substr(authority.size());
    // The colons of an IPv6 address stand in brackets, which belong to the URL only.
    auto const bracket = authority.find(']');
    auto const colon = authority.find(':', bracket == authority.npos ? 0 : bracket);
    auto host = authority.substr(0, colon);
    if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
        host = host.substr(1, host.size() - 2);
    }
    auto const port = colon == authority.npos ? "80" : authority.substr(colon + 1);
    auto const number = parse_number(port);
    if (host.empty() || !number || *number == 0 || *number > 65'535) return std::nullopt;
    return Url{std::string{authority}, std::string{host}, std::string{port},
               target.empty() ? "/" : std::string{target}};
}

// Reads a decimal number of seconds, of at most six digits before the point and nine after it.
inline std::optional<std::uint64_t> parse_seconds(std::string_view text) {
    auto const point = text.find('.');
    auto const whole = text.substr(0, point);
    std::string fraction{point == text.npos ? "0" : text.substr(point + 1)};
    if (whole.size() > 6 || fraction.empty() || fraction.size() > 9) return std::nullopt;
    fraction.resize(9, '0');
    auto const seconds = parse_number(whole);
    auto const nanoseconds = parse_number(fraction);
    if (!seconds || !nanoseconds) return std::nullopt;
    return *seconds * 1'000'000'000 + *nanoseconds;
}

// Reads variables looked up by name. Its functions throw std::invalid_argument with one line that
// names the first variable that is missing or ill-formed.
template <typename LookUp>
class Environment {
public:
    explicit Environment(LookUp look_up) : look_up_{std::move(look_up)} {}

    Workload workload() const {
        std::optional<std::string> const workload = look_up_("WORKLOAD");
        if (!workload || workload == "receive") return Workload::receive;
        if (workload == "echo") return Workload::echo;
        throw ill_formed("WORKLOAD", *workload, "receive or echo");
    }

    Settings settings() const {
        Settings settings;
        settings.url = url();
        auto const messages = required("MESSAGES", "give how many to receive");
        settings.messages = count("MESSAGES", messages);
        settings.connections = connections();
        std::optional<std::string> const lines = look_up_("LINES");
        if (lines == "autoroute") {
            settings.lines = Lines::autoroute;
        } else if (lines && lines != "json") {
            throw ill_formed("LINES", *lines, "json or autoroute");
        }
        return settings;
    }

    EchoSettings echo_settings() const {
        EchoSettings settings;
        settings.url = url();
        settings.connections = connections();
        if (std::optional<std::string> const payload = look_up_("PAYLOAD")) {
            settings.payload = *payload;
        }
        if (std::optional<std::string> const warm_up = look_up_("WARM_UP_S")) {
            settings.warm_up_ns = duration_ns("WARM_UP_S", *warm_up);
        }
        auto const window = required("WINDOW_S", "give how many seconds count");
        settings.window_ns = duration_ns("WINDOW_S", window);
        if (settings.window_ns == 0) {
            throw ill_formed("WINDOW_S", window, "more than 0, or nothing counts");
        }
        return settings;
    }

private:
    static std::invalid_argument ill_formed(std::string const& name, std::string const& value,
                                            std::string const& remedy) {
        return std::invalid_argument{name + " is \"" + value + "\": give " + remedy};
    }

    std::string required(std::string const& name, std::string const& remedy) const {
        std::optional<std::string> const value = look_up_(name.c_str());
        if (!value) throw std::invalid_argument{name + " is not set: " + remedy};
        return *value;
    }

    Url url() const {
        auto const text = required("URL", "give the server's address");
        auto const url = parse_url(text);
        if (!url) throw ill_formed("URL", text, "an address such as ws://host:port/path");
        return *url;
    }

    std::uint64_t connections() const {
        std::optional<std::string> const connections = look_up_("CONNECTIONS");
        return connections ? count("CONNECTIONS", *connections) : 1;
    }

    static std::uint64_t count(std::string const& name, std::string const& value) {
        auto const number = parse_number(value);
        if (!number || *number == 0) {
            throw ill_formed(name, value, "a whole number greater than zero");
        }
        return *number;
    }

    static std::uint64_t duration_ns(std::string const& name, std::string const& value) {
        auto const nanoseconds = parse_seconds(value);
        if (!nanoseconds) throw ill_formed(name, value, "seconds such as 2 or 0.5");
        return *nanoseconds;
    }

    LookUp look_up_;
};

// Calls read with the program's environment, or ends the program because of a mistake in it.
template <typename Read>
auto read_or_fail(Read const& read) {
    auto const look_up = [](char const* name) -> std::optional<std::string> {
        char const* const value = std::getenv(name);
        if (value == nullptr) return std::nullopt;
        return value;
    };
    try {
        return read(Environment{look_up});
    } catch (std::invalid_argument const& error) {
        fail(2, error.what());
    }
}

// On Linux this clock is CLOCK_MONOTONIC.
inline std::uint64_t monotonic_ns() {
    auto const now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

}  // namespace kit
