// Tests bots.hpp. Built by g++ -std=c++17 -pthread; what fails is named on stderr, and the exit
// status is 1.

#include "bots.hpp"

#include "expect.hpp"

#include <sstream>
#include <thread>
#include <vector>

namespace {

constexpr std::uint64_t opened_ns = 81'000'000'000;

// Bots with a clock that stands still until it is set.
struct Bench {
    explicit Bench(std::uint64_t connections, std::uint64_t warm_up_ns = 250)
        : bots{settings(connections, warm_up_ns), [this] { return now_ns; }, output} {
        for (std::uint64_t i = 0; i < connections; ++i) {
            sent.emplace_back();
            opened.push_back(&bots.opened([this, i](auto event) { sent[i].push_back(event); },
                                          [this, i] { closed += std::to_string(i); }));
        }
    }

    static kit::BotSettings settings(std::uint64_t connections, std::uint64_t warm_up_ns) {
        kit::BotSettings settings;
        settings.echo.connections = connections;
        settings.echo.payload = "hi";
        settings.echo.warm_up_ns = warm_up_ns;
        settings.echo.window_ns = 400;
        settings.every_ns = 100;
        settings.drain_ns = 1000;
        return settings;
    }

    std::string play_at(std::uint64_t offset_ns) {
        now_ns = opened_ns + offset_ns;
        auto const wait_ns = bots.play();
        return wait_ns ? std::to_string(*wait_ns) : "over";
    }

    std::string result() {
        bots.finish();
        return output.str();
    }

    std::uint64_t now_ns = opened_ns;
    std::ostringstream output;
    std::vector<std::vector<std::string>> sent;
    std::vector<kit::Bot*> opened;
    std::string closed;
    kit::Bots bots;
};

std::string line(int connections, int sent, int echoed, int wrong, std::string const& latencies) {
    std::ostringstream line;
    line << R"({"event":"result","connections":)" << connections << R"(,"sent":)" << sent
         << R"(,"echoed":)" << echoed << R"(,"wrong":)" << wrong
         << R"(,"window_ns":400,"response_time_ns":)" << latencies << "}\n";
    return line.str();
}

void connections_are_spread_over_the_interval_and_late_ones_are_sent_at_once() {
    Bench bench{3};
    EXPECT_EQUAL(bench.play_at(0), "33");
    EXPECT_EQUAL(bench.play_at(33), "33");
    EXPECT_EQUAL(bench.play_at(66), "34");
    EXPECT_EQUAL(bench.play_at(250), "16");
    std::ostringstream sent;
    for (auto const& each : bench.sent) sent << each.size() << ' ';
    EXPECT_EQUAL(sent.str(), "3 3 2 ");
    EXPECT_EQUAL(bench.sent[1][2], kit::stamp(2, opened_ns + 33 + 200, "hi"));
}

void what_is_due_when_the_window_is_over_is_not_sent() {
    Bench bench{2};
    // Due at 0, 100, … 600 and at 50, 150, … 550, of 650.
    EXPECT_EQUAL(bench.play_at(650), "1000");
    std::ostringstream sent;
    sent << bench.sent[0].size() << ' ' << bench.sent[1].size();
    EXPECT_EQUAL(sent.str(), "7 6");
    EXPECT_EQUAL(bench.closed, "");
    EXPECT_EQUAL(bench.play_at(1650), "over");
    EXPECT_EQUAL(bench.closed, "01");
    // Of these, 300, … 600 and 250, … 550 are within the window.
    EXPECT_EQUAL(bench.result(), line(2, 8, 0, 0, "{}"));
}

void response_times_are_from_due_and_of_the_window_only() {
    Bench bench{1};
    for (std::uint64_t event = 0; event < 7; ++event) {
        bench.play_at(event * 100);
        bench.now_ns += event * 10;
        bench.opened[0]->answered(bench.sent[0].back(), true);
    }
    EXPECT_EQUAL(bench.closed, "0");
    EXPECT_EQUAL(bench.play_at(700), "over");
    EXPECT_EQUAL(bench.result(), line(1, 4, 4, 0, R"({"30":1,"40":1,"50":1,"60":1})"));
}

void an_answer_is_right_once_and_in_its_order() {
    Bench bench{1, 0};
    bench.play_at(400);
    auto const& events = bench.sent[0];
    auto& bot = *bench.opened[0];
    bot.answered(events[1], true);
    std::string const unsent = kit::stamp(99, opened_ns + 9900, "hi");
    for (std::string const& wrong : {events[1], events[0], events[2] + "!", unsent, {}, {"4"}}) {
        bot.answered(wrong, true);
    }
    bot.answered(events[2], false);
    EXPECT_EQUAL(bot.is_over() ? "over" : "on", "on");
    bot.answered(events[3], true);
    EXPECT_EQUAL(bot.is_over() ? "over" : "on", "over");
    EXPECT_EQUAL(bench.result(), line(1, 4, 2, 7, R"({"100":1,"300":1})"));
}

void who_has_nothing_to_send_is_closed_when_the_others_have_sent_all() {
    auto settings = Bench::settings(2, 0);
    settings.echo.window_ns = 50;
    std::ostringstream output;
    std::string closed;
    kit::Bots bots{settings, [] { return opened_ns; }, output};
    for (char const* name : {"a", "b"}) {
        bots.opened([](auto) {}, [&closed, name] { closed += name; });
    }
    bots.play();
    EXPECT_EQUAL(closed, "b");
}

void threads_play_to_the_end() {
    kit::BotSettings settings;
    settings.echo.connections = 2;
    settings.echo.window_ns = 20'000'000;
    settings.every_ns = 10'000'000;
    settings.drain_ns = 60'000'000'000;
    std::ostringstream output;
    kit::Bots bots{settings, kit::monotonic_ns, output};
    std::vector<std::thread> threads;
    kit::Bot* opened[2] = {};
    for (auto& bot : opened) {
        bot = &bots.opened(
            [&](auto event) {
                threads.emplace_back([&bot, event] { bot->answered(event, true); }).join();
                threads.pop_back();
            },
            [] {});
    }
    bots.play_to_the_end();
    bots.finish();
    EXPECT_EQUAL(output.str().substr(0, 63),
                 R"({"event":"result","connections":2,"sent":4,"echoed":4,"wrong":0)");
}

}  // namespace

int main() {
    connections_are_spread_over_the_interval_and_late_ones_are_sent_at_once();
    what_is_due_when_the_window_is_over_is_not_sent();
    response_times_are_from_due_and_of_the_window_only();
    an_answer_is_right_once_and_in_its_order();
    who_has_nothing_to_send_is_closed_when_the_others_have_sent_all();
    threads_play_to_the_end();
    return failures == 0 ? 0 : 1;
}
