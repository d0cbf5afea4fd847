// Tests the kit. Runs in its folder, reports failures on stderr and exits with status 1.

#include "client.hpp"
#include "server.hpp"

#include <cstdio>
#include <map>
#include <sstream>
#include <sys/wait.h>

namespace {

int failures = 0;

template <typename Got, typename Expected>
void expect_equal(Got const& got, Expected const& expected, int line) {
    if (got == expected) return;
    ++failures;
    std::cerr << "test.cpp:" << line << ": got\n" << got << "\nexpected\n" << expected << '\n';
}

#define EXPECT_EQUAL(got, expected) expect_equal(got, expected, __LINE__)

using Variables = std::map<std::string, std::string>;

kit::Environment given(Variables const& variables) {
    return {[variables](std::string const& name) -> std::optional<std::string> {
        auto const found = variables.find(name);
        if (found == variables.end()) return std::nullopt;
        return found->second;
    }};
}

// A client with a manual clock.
struct Bench {
    explicit Bench(Variables const& variables)
        : client{given(variables), [this] { return now_ns; }} {}

    // Receives some messages, one per nanosecond. Returns the actions after them.
    std::string receive(kit::Connection& connection, int messages) {
        std::string actions;
        for (int i = 0; i < messages; ++i) {
            ++now_ns;
            actions += "pRC"[static_cast<int>(connection.received())];
        }
        return actions;
    }

    std::string result_at(std::uint64_t instant_ns) {
        now_ns = instant_ns;
        std::ostringstream output;
        client.print_result(output);
        return output.str();
    }

    std::uint64_t now_ns = 100;
    kit::Client client;
};

std::string parts_of(std::string const& text) {
    auto const url = given({{"URL", text}}).url();
    return url.authority + ' ' + url.host + ' ' + url.port + ' ' + url.target +
           (url.is_tls ? " TLS" : "");
}

void a_url_has_a_default_port_and_path() {
    EXPECT_EQUAL(parts_of("ws://127.0.0.1:8008/5"), "127.0.0.1:8008 127.0.0.1 8008 /5");
    EXPECT_EQUAL(parts_of("ws://[::1]:8008/5?a=b"), "[::1]:8008 ::1 8008 /5?a=b");
    EXPECT_EQUAL(parts_of("ws://host"), "host host 80 /");
    EXPECT_EQUAL(parts_of("wss://[::1]/"), "[::1] ::1 443 / TLS");
}

std::string settings_of_server(Variables const& variables) {
    auto const server = kit::Server::read(given(variables));
    return server.host + ' ' + std::to_string(server.port) + (server.deflate ? " deflate" : "") +
           (server.is_tls ? " TLS " : "") + server.certificate_file + server.key_file;
}

void settings_are_read_and_have_defaults() {
    Bench const bench{{{"URL", "ws://host"}, {"CONNECTIONS", "3"}, {"COMPRESSION", "deflate"}}};
    EXPECT_EQUAL(bench.client.connections == 3 && bench.client.deflate, true);
    EXPECT_EQUAL(settings_of_server({{"PORT", "1"}}), "127.0.0.1 1");
    EXPECT_EQUAL(settings_of_server({{"HOST", "::1"}, {"PORT", "65535"}, {"COMPRESSION", "deflate"},
                                     {"TLS_CERT", "kit.toml"}, {"TLS_KEY", "test.cpp"}}),
                 "::1 65535 deflate TLS kit.tomltest.cpp");
}

void what_is_wrong_is_named_with_its_value() {
    std::map<std::string, std::vector<std::string>> const wrong{
        {"URL", {"", "http://host/", "ws://", "wss:///5", "ws://host:/", "ws://host:0",
                 "ws://host:65536", "ws://host:80a"}},
        {"MESSAGES", {"", "0", "-1", "+1", "1e6", "5 ", "18446744073709551616"}},
        {"CONNECTIONS", {"0", "many"}},
        {"VERB", {"", "echo"}},
        {"COMPRESSION", {"gzip"}},
        {"PORT", {"0", "65536"}},
        {"TLS_CERT", {"", "none.pem"}},
    };
    for (auto const& [name, values] : wrong) {
        for (auto const& value : values) {
            Variables variables{{"URL", "ws://host/"}, {"PORT", "80"}};
            variables[name] = value;
            std::string reason;
            try {
                Bench const client{variables};
                kit::Server::read(given(variables));
            } catch (std::invalid_argument const& error) {
                reason = error.what();
            }
            auto const start = name + " is \"" + value + "\": give ";
            EXPECT_EQUAL(reason.substr(0, start.size()), start);
        }
    }
}

void a_path_has_a_role_or_is_refused() {
    EXPECT_EQUAL(kit::role_of("/echo") == kit::Role::echo, true);
    EXPECT_EQUAL(kit::role_of("/subscribe") == kit::Role::subscriber, true);
    EXPECT_EQUAL(kit::role_of("/echo/").has_value(), false);
}

void a_counting_client_closes_after_its_last_message() {
    Bench bench{{{"URL", "ws://host"}, {"MESSAGES", "2"}}};
    EXPECT_EQUAL(bench.receive(bench.client.opened(), 4), "pCpp");
    EXPECT_EQUAL(bench.receive(bench.client.opened(), 2), "pC");
    EXPECT_EQUAL(bench.result_at(500), R"({"event":"result","connections":2,"messages":4,)"
                                       R"("opened_ns":100,"received_ns":106})" "\n");
}

void a_client_without_its_last_message_has_the_instant_of_its_result() {
    Bench bench{{{"URL", "ws://host"}, {"MESSAGES", "2"}}};
    bench.receive(bench.client.opened(), 2);
    bench.receive(bench.client.opened(), 1);
    EXPECT_EQUAL(bench.result_at(500), R"({"event":"result","connections":2,"messages":3,)"
                                       R"("opened_ns":100,"received_ns":500})" "\n");
}

void a_replying_client_replies_until_the_server_closes() {
    Bench bench{{{"URL", "ws://host"}, {"VERB", "reply"}, {"MESSAGES", "1"}}};
    EXPECT_EQUAL(bench.receive(bench.client.opened(), 2), "RR");
    EXPECT_EQUAL(bench.result_at(500), R"({"event":"result","connections":1,"messages":2,)"
                                       R"("opened_ns":100,"received_ns":500})" "\n");
}

// Runs this program as a client with a wrong variable.
void a_wrong_environment_ends_the_program_with_status_2_and_one_line(std::string const& program) {
    auto const output = popen(("URL=ws://host VERB=shout " + program + " client 2>&1").c_str(), "r");
    std::string printed;
    for (int each = 0; (each = std::fgetc(output)) != EOF;) printed += static_cast<char>(each);
    auto const status = pclose(output);
    EXPECT_EQUAL(printed, "VERB is \"shout\": give count or reply\n");
    EXPECT_EQUAL(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 2);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc > 1) return kit::run_client([](kit::Client&) {});
    a_url_has_a_default_port_and_path();
    settings_are_read_and_have_defaults();
    what_is_wrong_is_named_with_its_value();
    a_path_has_a_role_or_is_refused();
    a_counting_client_closes_after_its_last_message();
    a_client_without_its_last_message_has_the_instant_of_its_result();
    a_replying_client_replies_until_the_server_closes();
    a_wrong_environment_ends_the_program_with_status_2_and_one_line(argv[0]);
    return failures == 0 ? 0 : 1;
}
