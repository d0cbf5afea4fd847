// Tests serving.hpp. Build with g++ -std=c++17 and run in this folder. Reports failures on stderr
// and exits with status 1.

#include "serving.hpp"

#include "expect.hpp"

#include <map>
#include <sstream>

namespace {

using Variables = std::map<std::string, std::string>;

// Returns the settings on one line, or the reason why they are invalid.
std::string parse(Variables const& variables) {
    kit::Environment const environment{
        [&](std::string const& name) -> std::optional<std::string> {
            auto const found = variables.find(name);
            if (found == variables.end()) return std::nullopt;
            return found->second;
        }};
    std::ostringstream line;
    try {
        auto const settings = kit::ServerSettings::read(environment);
        line << settings.host << ' ' << settings.port << ' ' << settings.workers << ' '
             << settings.deflate;
        if (settings.tls) line << ' ' << settings.tls->certificate_file;
        if (auto const& feed = settings.feed) {
            line << ' ' << feed->format.is_text() << ' ' << feed->stocks << ' ' << feed->subscribers
                 << ' ' << feed->every_ns.value_or(0) << ' ' << feed->duration_ns.value_or(0) << ' '
                 << feed->messages.value_or(0);
        }
    } catch (std::invalid_argument const& error) {
        line << error.what();
    }
    return line.str();
}

void a_port_is_enough() { EXPECT_EQUAL(parse({{"PORT", "80"}}), "127.0.0.1 80 1 0"); }

void every_setting_is_read() {
    EXPECT_EQUAL(parse({{"PORT", "65535"},
                        {"HOST", "::1"},
                        {"WORKERS", "4"},
                        {"COMPRESSION", "deflate"},
                        {"TLS_CERT", "kit.toml"},
                        {"TLS_KEY", "kit.toml"},
                        {"FEED", "stocks"},
                        {"ENCODING", "binary"},
                        {"STOCKS", "25"},
                        {"STOCKS_FILE", "../stocks.csv"},
                        {"SUBSCRIBERS", "8"},
                        {"EVERY_MS", "0.5"},
                        {"SECONDS", "2"}}),
                 "::1 65535 4 1 kit.toml 0 25 8 500000 2000000000 0");
    EXPECT_EQUAL(parse({{"PORT", "1"}, {"FEED", "hello"}, {"MESSAGES", "7"}}),
                 "127.0.0.1 1 1 0 1 1 1 0 0 7");
}

void what_is_wrong_is_named() {
    Variables const stocks{{"PORT", "80"}, {"FEED", "stocks"}, {"MESSAGES", "1"}};
    auto const from = [&](std::string const& file) {
        auto variables = stocks;
        variables["STOCKS_FILE"] = file;
        return variables;
    };
    std::pair<Variables, std::string> const cases[] = {
        {{}, "PORT is not set"},
        {{{"PORT", "65536"}}, "PORT is \"65536\""},
        {{{"PORT", "80"}, {"COMPRESSION", "gzip"}}, "COMPRESSION is \"gzip\""},
        {{{"PORT", "80"}, {"TLS_KEY", "kit.toml"}}, "TLS_CERT is not set"},
        {{{"PORT", "80"}, {"TLS_CERT", "kit.toml"}}, "TLS_KEY is not set"},
        {{{"PORT", "80"}, {"TLS_CERT", "none"}, {"TLS_KEY", "none"}}, "TLS_CERT and TLS_KEY must"},
        {{{"PORT", "80"}, {"FEED", "hello"}}, "MESSAGES or SECONDS"},
        {{{"PORT", "80"}, {"FEED", "hello"}, {"MESSAGES", "1"}, {"SECONDS", "1"}},
         "MESSAGES or SECONDS"},
        {{{"PORT", "80"}, {"FEED", "hello"}, {"SECONDS", "0"}}, "SECONDS is \"0\""},
        {{{"PORT", "80"}, {"FEED", "hello"}, {"MESSAGES", "1"}, {"STOCKS", "1000001"}},
         "STOCKS is \"1000001\""},
        {stocks, "STOCKS_FILE is not set"},
        {from("none.csv"), "STOCKS_FILE cannot be read: none.csv"},
        {from("kit.toml"), "STOCKS_FILE must have the line"},
    };
    for (auto const& [variables, reason] : cases) {
        EXPECT_EQUAL(parse(variables).substr(0, reason.size()), reason);
    }
}

void what_is_no_record_is_named_with_its_line() {
    std::string const head = "date,open,high,low,close,volume\n";
    for (std::string const line :
         {"", "2001-01-01", "d,1.00,1.00,1.00,1.00,", "d,1.0,1.00,1.00,1.00,5",
          "d,1.00,1.00,1.00,1.000,5", "d,1.00,-1.00,1.00,1.00,5", "d,.00,1.00,1.00,1.00,5",
          "d,12345678.00,1.00,1.00,1.00,5", "d,1.00,1.00,1.00,1.00,5,", "d,1.00,1.00,1.00,1.00,5 ",
          "d,1.00,1.00,1.00,1.00,1000000000000000"}) {
        std::string reason;
        try {
            kit::parse_stocks(head + line + "\nd,1.00,1.00,1.00,1.00,5\n");
        } catch (std::invalid_argument const& error) {
            reason = error.what();
        }
        EXPECT_EQUAL(reason, "has a line that is no record: " + line);
    }
}

}  // namespace

int main() {
    a_port_is_enough();
    every_setting_is_read();
    what_is_wrong_is_named();
    what_is_no_record_is_named_with_its_line();
    return failures == 0 ? 0 : 1;
}
