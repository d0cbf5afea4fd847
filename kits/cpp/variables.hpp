// Reads and validates single environment variables, and ends the program.

#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kit {

// Ends the program with the reason as the last line on stderr. Other threads may be running, so
// nothing is destroyed.
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
    bool is_tls;
};

inline std::optional<std::uint64_t> parse_number(std::string_view text) {
    std::uint64_t number = 0;
    auto const end = text.data() + text.size();
    auto const [parsed, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc{} || parsed != end) return std::nullopt;
    return number;
}

// Parses ws://host:port/path or wss://host:port/path. The default path is /.
inline std::optional<Url> parse_url(std::string_view text) {
    bool const is_tls = text.substr(0, 6) == "wss://";
    if (!is_tls && text.substr(0, 5) != "ws://") return std::nullopt;
    auto const rest = text.substr(is_tls ? 6 : 5);
    auto const authority = rest.substr(0, rest.find('/'));
    auto const target = rest.substr(authority.size());
    // An IPv6 address contains colons and is enclosed in brackets, which belong to the URL only.
    auto const bracket = authority.find(']');
    auto const colon = authority.find(':', bracket == authority.npos ? 0 : bracket);
    auto host = authority.substr(0, colon);
    if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
        host = host.substr(1, host.size() - 2);
    }
    std::string_view const usual_port = is_tls ? "443" : "80";
    auto const port = colon == authority.npos ? usual_port : authority.substr(colon + 1);
    auto const number = parse_number(port);
    if (host.empty() || !number || *number == 0 || *number > 65'535) return std::nullopt;
    return Url{std::string{authority}, std::string{host}, std::string{port},
               target.empty() ? "/" : std::string{target}, std::string{text}, is_tls};
}

// Ends the program with status 2, because a variable is wrong.
[[noreturn]] inline void refuse(std::string const& name, std::string const& value, std::string const& remedy) {
    fail(2, name + " is \"" + value + "\": give " + remedy);
}

inline std::optional<std::string> find(char const* name) {
    auto const value = std::getenv(name);
    if (value == nullptr) return std::nullopt;
    return value;
}

inline std::string required(char const* name) {
    auto const value = find(name);
    if (!value) fail(2, std::string{name} + " is not set");
    return *value;
}

// Reads a variable with a fixed set of values; the first one is the default.
inline std::string choice(char const* name, std::vector<std::string> const& choices) {
    auto const value = find(name).value_or(choices.front());
    if (std::find(choices.begin(), choices.end(), value) != choices.end()) return value;
    std::string remedy;
    for (auto const& each : choices) remedy += (remedy.empty() ? "" : " or ") + each;
    refuse(name, value, remedy);
}

inline bool has_deflate() { return choice("COMPRESSION", {"", "deflate"}) == "deflate"; }

inline Url read_url() {
    auto const text = required("URL");
    auto const url = parse_url(text);
    if (!url) refuse("URL", text, "an address such as ws://host:port/path");
    return *url;
}

// Reads a whole number from 1 to max. Without a default, the variable is required.
inline std::uint64_t count(char const* name, std::optional<std::uint64_t> otherwise,
                           std::uint64_t max = std::numeric_limits<std::int32_t>::max()) {
    if (otherwise && !find(name)) return *otherwise;
    auto const value = required(name);
    auto const number = parse_number(value);
    if (number && *number > 0 && *number <= max) return *number;
    refuse(name, value, "a whole number from 1 to " + std::to_string(max));
}

// Reads the path of a file.
inline std::string file(char const* name) {
    auto const path = required(name);
    if (!std::ifstream{path}) refuse(name, path, "a file that can be read");
    return path;
}

// Calls work; an exception ends the program.
template <typename Work>
void run_or_fail(Work const& work) {
    try {
        work();
    } catch (std::exception const& error) {
        fail(1, error.what());
    }
}

}  // namespace kit
