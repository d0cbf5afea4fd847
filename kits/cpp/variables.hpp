// Reads and validates single environment variables.

#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace kit {

// Ends the program with the reason as the last line on stderr. Other threads may be running, so
// nothing is destroyed; printed lines are flushed already.
[[noreturn]] inline void fail(int status, std::string_view reason) {
    std::cerr << reason << std::endl;
    std::_Exit(status);
}

struct Url {
    std::string authority;  // host:port as written, for the Host header
    std::string host;
    std::string port;
    std::string target;  // path and query
    std::string text;    // the whole URL
};

inline std::optional<std::uint64_t> parse_number(std::string_view text) {
    std::uint64_t number = 0;
    auto const end = text.data() + text.size();
    auto const [parsed, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc{} || parsed != end) return std::nullopt;
    return number;
}

// Parses ws://host:port/path. The default port is 80, the default path /.
inline std::optional<Url> parse_url(std::string_view text) {
    constexpr std::string_view scheme = "ws://";
    if (text.substr(0, scheme.size()) != scheme) return std::nullopt;
    auto const rest = text.substr(scheme.size());

    auto const authority = rest.substr(0, rest.find('/'));
    auto const target = rest.substr(authority.size());
    // An IPv6 address contains colons and is enclosed in brackets, which belong to the URL only.
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
               target.empty() ? "/" : std::string{target}, std::string{text}};
}

// Parses a decimal number and returns it in units of its last fraction digit. Returns nothing if it
// has more than whole_digits digits before the point or more than fraction_digits after it.
inline std::optional<std::uint64_t> parse_decimal(std::string_view text, std::size_t whole_digits,
                                                  std::size_t fraction_digits) {
    auto const point = text.find('.');
    std::string digits{text.substr(0, point)};
    std::string fraction{point == text.npos ? "0" : text.substr(point + 1)};
    if (digits.empty() || digits.size() > whole_digits) return std::nullopt;
    if (fraction.empty() || fraction.size() > fraction_digits) return std::nullopt;
    fraction.resize(fraction_digits, '0');
    return parse_number(digits + fraction);
}

using LookUp = std::function<std::optional<std::string>(std::string const& name)>;

// Reads variables by name. Throws std::invalid_argument with one line that names the variable that
// is missing or malformed.
class Environment {
public:
    explicit Environment(LookUp look_up) : look_up_{std::move(look_up)} {}

    std::optional<std::string> find(std::string const& name) const { return look_up_(name); }

    bool has(std::string const& name) const { return find(name).has_value(); }

    std::string required(std::string const& name, std::string const& remedy) const {
        auto const value = find(name);
        if (!value) throw std::invalid_argument{name + " is not set: give " + remedy};
        return *value;
    }

    // Reads a variable with a fixed set of values; the first one is the default.
    template <typename Choice>
    Choice choice(std::string const& name,
                  std::vector<std::pair<std::string, Choice>> const& choices) const {
        auto const value = find(name);
        if (!value) return choices.front().second;
        std::string remedy;
        for (auto const& [word, choice] : choices) {
            if (*value == word) return choice;
            remedy += (remedy.empty() ? "" : " or ") + word;
        }
        throw ill_formed(name, *value, remedy);
    }

    Url url() const {
        auto const text = required("URL", "the server's address");
        auto const url = parse_url(text);
        if (!url) throw ill_formed("URL", text, "an address such as ws://host:port/path");
        return *url;
    }

    // Reads a whole number of at least 1.
    std::uint64_t count(std::string const& name, std::string const& remedy,
                        std::uint64_t max = 999'999'999'999'999) const {
        auto const value = required(name, remedy);
        auto const number = parse_number(value);
        if (!number || *number == 0 || *number > max) {
            throw ill_formed(name, value, "a whole number from 1 to " + std::to_string(max));
        }
        return *number;
    }

    std::uint64_t count_or(std::string const& name, std::uint64_t otherwise,
                           std::uint64_t max = 999'999'999'999'999) const {
        return has(name) ? count(name, "", max) : otherwise;
    }

    std::uint64_t duration_ns(std::string const& name, std::string const& remedy) const {
        auto const value = required(name, remedy);
        auto const duration_ns = parse_decimal(value, 6, 9);
        if (!duration_ns) throw ill_formed(name, value, "seconds such as 2 or 0.5");
        return *duration_ns;
    }

    std::uint64_t duration_ns_or(std::string const& name, std::uint64_t otherwise_ns) const {
        return has(name) ? duration_ns(name, "") : otherwise_ns;
    }

    // Reads a number of seconds greater than 0; returns nanoseconds.
    std::uint64_t time_ns(std::string const& name, std::string const& remedy) const {
        auto const duration = duration_ns(name, remedy);
        if (duration == 0) {
            throw ill_formed(name, *find(name), "more than 0, or nothing counts");
        }
        return duration;
    }

    // Reads EVERY_MS, the interval of a schedule; returns nanoseconds.
    std::uint64_t interval_ns() const {
        auto const value = required("EVERY_MS", "the interval in milliseconds");
        auto const interval_ns = parse_decimal(value, 7, 6);
        if (!interval_ns || *interval_ns == 0) {
            throw ill_formed("EVERY_MS", value, "milliseconds such as 50 or 0.5");
        }
        return *interval_ns;
    }

    static std::invalid_argument ill_formed(std::string const& name, std::string const& value,
                                            std::string const& remedy) {
        return std::invalid_argument{name + " is \"" + value + "\": give " + remedy};
    }

private:
    LookUp look_up_;
};

// Calls read with the program's environment; ends the program with status 2 if a variable is wrong.
template <typename Read>
auto read_or_fail(Read const& read) {
    auto const look_up = [](std::string const& name) -> std::optional<std::string> {
        char const* const value = std::getenv(name.c_str());
        if (value == nullptr) return std::nullopt;
        return value;
    };
    try {
        return read(Environment{look_up});
    } catch (std::invalid_argument const& error) {
        fail(2, error.what());
    }
}

}  // namespace kit
