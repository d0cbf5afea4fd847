// Tests settings.hpp and variables.hpp. Build with g++ -std=c++17 -pthread. Reports failures on
// stderr and exits with status 1.

#include "settings.hpp"

#include "expect.hpp"

#include <cstdlib>
#include <map>
#include <sstream>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using Variables = std::map<std::string, std::string>;

// Returns the line that print writes for an environment, or the reason why the environment is
// invalid.
template <typename Print>
std::string read(Variables const& variables, Print const& print) {
    auto const look_up = [&](std::string const& name) -> std::optional<std::string> {
        auto const found = variables.find(name);
        if (found == variables.end()) return std::nullopt;
        return found->second;
    };
    std::ostringstream line;
    try {
        print(line, kit::Environment{look_up});
    } catch (std::invalid_argument const& error) {
        line << error.what();
    }
    return line.str();
}

std::string parse(Variables const& variables) {
    return read(variables, [](std::ostream& line, auto const& environment) {
        auto const settings = kit::Settings::read(environment);
        auto const& url = settings.url;
        line << url.authority << ' ' << url.host << ' ' << url.port << ' ' << url.target << ' '
             << settings.messages << ' ' << settings.connections << ' '
             << (settings.lines == kit::Lines::json ? "json" : "autoroute");
    });
}

std::string parse_echo(Variables const& variables) {
    return read(variables, [](std::ostream& line, auto const& environment) {
        auto const settings = kit::EchoSettings::read(environment);
        line << settings.url.authority << ' ' << settings.connections << ' ' << settings.payload
             << ' ' << settings.warm_up_ns << ' ' << settings.window_ns;
    });
}

std::string parse_workload(Variables const& variables) {
    return read(variables, [](std::ostream& line, auto const& environment) {
        auto const workload = kit::read_workload(environment);
        line << (workload == kit::Workload::receive ? "receive" : "echo");
    });
}

void connections_and_lines_have_defaults() {
    EXPECT_EQUAL(parse({{"URL", "ws://127.0.0.1:8008/5"}, {"MESSAGES", "5"}}),
                 "127.0.0.1:8008 127.0.0.1 8008 /5 5 1 json");
}

void every_setting_is_read() {
    EXPECT_EQUAL(parse({{"URL", "ws://[::1]:8008/5?a=b"},
                        {"MESSAGES", "7"},
                        {"CONNECTIONS", "3"},
                        {"LINES", "autoroute"}}),
                 "[::1]:8008 ::1 8008 /5?a=b 7 3 autoroute");
}

void port_and_path_have_defaults() {
    EXPECT_EQUAL(parse({{"URL", "ws://host"}, {"MESSAGES", "5"}}), "host host 80 / 5 1 json");
    EXPECT_EQUAL(parse({{"URL", "ws://[::1]/"}, {"MESSAGES", "5"}}), "[::1] ::1 80 / 5 1 json");
}

void a_missing_variable_is_named() {
    EXPECT_EQUAL(parse({{"MESSAGES", "5"}}), "URL is not set: give the server's address");
    EXPECT_EQUAL(parse({{"URL", "ws://host/"}}), "MESSAGES is not set: give how many to receive");
}

void an_ill_formed_variable_is_named_with_its_value() {
    std::pair<std::string, std::string> const changes[] = {
        {"URL", ""},
        {"URL", "http://host/"},
        {"URL", "wss://host/"},
        {"URL", "ws://"},
        {"URL", "ws:///5"},
        {"URL", "ws://host:/"},
        {"URL", "ws://host:0"},
        {"URL", "ws://host:65536"},
        {"URL", "ws://host:80a"},
        {"MESSAGES", ""},
        {"MESSAGES", "0"},
        {"MESSAGES", "-1"},
        {"MESSAGES", "+1"},
        {"MESSAGES", "1e6"},
        {"MESSAGES", "5 "},
        {"MESSAGES", "18446744073709551616"},
        {"CONNECTIONS", "0"},
        {"CONNECTIONS", "many"},
        {"LINES", "JSON"},
    };
    for (auto const& [name, value] : changes) {
        Variables variables{{"URL", "ws://host/"}, {"MESSAGES", "5"}};
        variables[name] = value;
        auto const start = name + " is \"" + value + "\": give ";
        EXPECT_EQUAL(parse(variables).substr(0, start.size()), start);
    }
}

void receives_by_default() {
    EXPECT_EQUAL(parse_workload({}), "receive");
    EXPECT_EQUAL(parse_workload({{"WORKLOAD", "receive"}}), "receive");
    EXPECT_EQUAL(parse_workload({{"WORKLOAD", "echo"}}), "echo");
    EXPECT_EQUAL(parse_workload({{"WORKLOAD", ""}}),
                 "WORKLOAD is \"\": give receive or echo");
}

void what_an_exchange_asks_for_is_read_and_has_defaults() {
    EXPECT_EQUAL(parse_echo({{"URL", "ws://host:1/echo"}, {"WINDOW_S", "2"}}),
                 "host:1 1 hello world 0 2000000000");
    EXPECT_EQUAL(parse_echo({{"URL", "ws://host/echo"},
                             {"CONNECTIONS", "3"},
                             {"PAYLOAD", "grüezi"},
                             {"WARM_UP_S", "0.5"},
                             {"WINDOW_S", "1.000000001"}}),
                 "host 3 grüezi 500000000 1000000001");
}

void a_variable_of_an_exchange_that_is_missing_or_ill_formed_is_named() {
    EXPECT_EQUAL(parse_echo({{"URL", "ws://host/"}}),
                 "WINDOW_S is not set: give how many seconds count");
    std::pair<std::string, std::string> const changes[] = {
        {"URL", "http://host/"}, {"CONNECTIONS", "0"},    {"WARM_UP_S", "-1"},
        {"WARM_UP_S", "1e3"},    {"WARM_UP_S", ""},       {"WARM_UP_S", "1."},
        {"WARM_UP_S", "."},      {"WINDOW_S", "0"},       {"WINDOW_S", "0.0"},
        {"WINDOW_S", "nan"},     {"WINDOW_S", "1000000"}, {"WINDOW_S", "1.0000000001"},
    };
    for (auto const& [name, value] : changes) {
        Variables variables{{"URL", "ws://host/"}, {"WINDOW_S", "2"}};
        variables[name] = value;
        auto const start = name + " is \"" + value + "\": give ";
        EXPECT_EQUAL(parse_echo(variables).substr(0, start.size()), start);
    }
}

void a_feed_needs_no_number_of_messages_and_its_lines_are_json() {
    auto const line = parse({{"URL", "ws://host"},
                             {"FEED", "clock"},
                             {"ENCODING", "binary"},
                             {"LINES", "autoroute"}});
    EXPECT_EQUAL(line, "host host 80 / 18446744073709551615 1 json");
    EXPECT_EQUAL(parse({{"URL", "ws://host"}, {"FEED", "weather"}}),
                 "FEED is \"weather\": give hello or sequence or clock or stocks");
    EXPECT_EQUAL(parse({{"URL", "ws://host"}, {"FEED", "clock"}, {"ENCODING", "xml"}}),
                 "ENCODING is \"xml\": give json or binary");
}

void a_wrong_environment_ends_the_program_with_status_2_and_one_line() {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error{"no pipe"};
    pid_t const program = fork();
    if (program == 0) {
        dup2(ends[1], STDERR_FILENO);
        setenv("URL", "ws://host/5", 1);
        setenv("MESSAGES", "ten", 1);
        kit::read_or_fail(kit::Settings::read);
        _exit(0);
    }
    close(ends[1]);
    std::string reason;
    char buffer[256];
    for (ssize_t size; (size = ::read(ends[0], buffer, sizeof buffer)) > 0;) {
        reason.append(buffer, static_cast<std::size_t>(size));
    }
    close(ends[0]);
    int status = 0;
    waitpid(program, &status, 0);
    EXPECT_EQUAL(std::to_string(WIFEXITED(status) ? WEXITSTATUS(status) : -1), "2");
    EXPECT_EQUAL(reason.substr(0, 24), "MESSAGES is \"ten\": give ");
    EXPECT_EQUAL(reason.substr(reason.find('\n')), "\n");
}

}  // namespace

int main() {
    connections_and_lines_have_defaults();
    every_setting_is_read();
    port_and_path_have_defaults();
    a_missing_variable_is_named();
    an_ill_formed_variable_is_named_with_its_value();
    receives_by_default();
    what_an_exchange_asks_for_is_read_and_has_defaults();
    a_variable_of_an_exchange_that_is_missing_or_ill_formed_is_named();
    a_feed_needs_no_number_of_messages_and_its_lines_are_json();
    a_wrong_environment_ends_the_program_with_status_2_and_one_line();
    return failures == 0 ? 0 : 1;
}
