// Tests how a URL is read. Reports failures on stderr and exits with status 1.

#include "../variables.hpp"

namespace {

int failures = 0;

void expect_parts(std::string const& text, std::string const& expected) {
    auto const url = kit::parse_url(text);
    auto const parts = url ? url->authority + ' ' + url->host + ' ' + url->port + ' ' + url->target +
                                 (url->is_tls ? " TLS" : "")
                           : "none";
    if (parts == expected) return;
    ++failures;
    std::cerr << text << ": got " << parts << ", expected " << expected << '\n';
}

}  // namespace

int main() {
    expect_parts("ws://127.0.0.1:8008/5", "127.0.0.1:8008 127.0.0.1 8008 /5");
    expect_parts("ws://[::1]:8008/5?a=b", "[::1]:8008 ::1 8008 /5?a=b");
    expect_parts("ws://host", "host host 80 /");
    expect_parts("wss://[::1]/", "[::1] ::1 443 / TLS");
    for (auto const* url : {"ws:///5", "ws://host:/", "ws://host:0", "ws://host:65536", "ws://host:80a"}) {
        expect_parts(url, "none");
    }
    return failures == 0 ? 0 : 1;
}
