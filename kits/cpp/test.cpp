// Tests how a URL is read. Reports failures on stderr and exits with status 1.

#include "variables.hpp"

#include <iostream>

namespace {

int failures = 0;

template <typename Got, typename Expected>
void expect_equal(Got const& got, Expected const& expected, int line) {
    if (got == expected) return;
    ++failures;
    std::cerr << "test.cpp:" << line << ": got\n" << got << "\nexpected\n" << expected << '\n';
}

#define EXPECT_EQUAL(got, expected) expect_equal(got, expected, __LINE__)

std::string parts_of(std::string const& text) {
    kit::Environment const environment{[text](std::string const&) { return std::optional{text}; }};
    auto const url = environment.url();
    return url.authority + ' ' + url.host + ' ' + url.port + ' ' + url.target +
           (url.is_tls ? " TLS" : "");
}

void a_url_has_a_default_port_and_path() {
    EXPECT_EQUAL(parts_of("ws://127.0.0.1:8008/5"), "127.0.0.1:8008 127.0.0.1 8008 /5");
    EXPECT_EQUAL(parts_of("ws://[::1]:8008/5?a=b"), "[::1]:8008 ::1 8008 /5?a=b");
    EXPECT_EQUAL(parts_of("ws://host"), "host host 80 /");
    EXPECT_EQUAL(parts_of("wss://[::1]/"), "[::1] ::1 443 / TLS");
}

void a_wrong_url_is_named_with_its_value() {
    for (auto const* url : {"ws:///5", "ws://host:/", "ws://host:0", "ws://host:65536", "ws://host:80a"}) {
        std::string reason;
        try {
            parts_of(url);
        } catch (std::invalid_argument const& error) {
            reason = error.what();
        }
        auto const start = "URL is \"" + std::string{url} + "\": give ";
        EXPECT_EQUAL(reason.substr(0, start.size()), start);
    }
}

}  // namespace

int main() {
    a_url_has_a_default_port_and_path();
    a_wrong_url_is_named_with_its_value();
    return failures == 0 ? 0 : 1;
}
