// Tests receiver.hpp. Built by g++ -std=c++17 -pthread; what fails is named on stderr, and the
// exit status is 1.

#include "receiver.hpp"

#include "expect.hpp"

#include <sstream>

namespace {

void wants_more_until_all_are_counted() {
    int readings = 0;
    kit::Clock const clock = [&] { return ++readings, 99; };
    kit::Counter counter{3, clock};
    std::ostringstream got;
    for (int i = 0; i < 3; ++i) got << counter.count(11) << readings << ' ';
    got << counter.totals().messages << ' ' << counter.totals().bytes << ' ' << counter.received_ns();
    EXPECT_EQUAL(got.str(), "10 10 01 3 33 99");
}

constexpr kit::Outcome outcome{1, {1'000'000, 11'000'000}, 81'000'000'000, 83'830'000'000};

void prints_the_lines_of_the_contract() {
    std::ostringstream output;
    kit::Report report{kit::Lines::json, "cpp-library", output};
    report.print_second({212'345, 2'335'795});
    report.print_second({212'345, 2'335'795});
    report.print_result(outcome);
    EXPECT_EQUAL(output.str(),
                 R"({"event":"second","second":0,"messages":212345,"bytes":2335795})" "\n"
                 R"({"event":"second","second":1,"messages":0,"bytes":0})" "\n"
                 R"({"event":"result","connections":1,"messages":1000000,"bytes":11000000,)"
                 R"("opened_ns":81000000000,"received_ns":83830000000})" "\n");
}

void prints_the_lines_of_the_original_race() {
    std::ostringstream output;
    kit::Report report{kit::Lines::autoroute, "cpp-library", output};
    report.print_second({212'345, 2'335'795});
    report.print_result(outcome);
    EXPECT_EQUAL(output.str(),
                 "messages received per second: 212345\nAUTOROUTE cpp-library :: 2830 ms\n");
}

void milliseconds_are_rounded_to_the_nearest() {
    std::ostringstream output;
    for (std::uint64_t nanoseconds : {499'999, 500'000, 1'499'999}) {
        kit::Report report{kit::Lines::autoroute, "x", output};
        report.print_result({1, {}, 7, 7 + nanoseconds});
    }
    EXPECT_EQUAL(output.str(), "AUTOROUTE x :: 0 ms\nAUTOROUTE x :: 1 ms\nAUTOROUTE x :: 1 ms\n");
}

// A receiver with a clock that stands still until it is set.
struct Bench {
    Bench(std::uint64_t messages, std::uint64_t connections)
        : receiver{settings(messages, connections), "cpp-library", [this] { return now_ns; },
                   output, [this](kit::Receiver&, std::uint64_t opened_ns) {
                       started << opened_ns << ' ';
                   }} {}

    static kit::Settings settings(std::uint64_t messages, std::uint64_t connections) {
        kit::Settings settings;
        settings.messages = messages;
        settings.connections = connections;
        return settings;
    }

    void tick_at(std::uint64_t instant_ns) {
        now_ns = instant_ns;
        receiver.tick();
    }

    std::uint64_t now_ns = 1'000'000'000;
    std::ostringstream output;
    std::ostringstream started;
    kit::Receiver receiver;
};

void a_second_is_what_arrived_since_the_last() {
    Bench bench{10, 1};
    auto& counter = bench.receiver.start_counting();
    counter.count(11);
    counter.count(12);
    bench.tick_at(1'999'999'999);
    bench.tick_at(2'000'000'000);
    bench.tick_at(3'000'000'000);
    counter.count(13);
    bench.tick_at(4'000'000'000);
    EXPECT_EQUAL(bench.output.str(),
                 R"({"event":"second","second":0,"messages":2,"bytes":23})" "\n"
                 R"({"event":"second","second":1,"messages":0,"bytes":0})" "\n"
                 R"({"event":"second","second":2,"messages":1,"bytes":13})" "\n");
}

void no_second_is_left_out_when_the_ticker_is_late() {
    Bench bench{10, 1};
    bench.receiver.start_counting().count(11);
    bench.tick_at(3'100'000'000);
    EXPECT_EQUAL(bench.output.str(),
                 R"({"event":"second","second":0,"messages":1,"bytes":11})" "\n"
                 R"({"event":"second","second":1,"messages":0,"bytes":0})" "\n");
}

void the_result_prints_the_seconds_that_the_ticker_missed() {
    Bench bench{1, 1};
    auto& counter = bench.receiver.start_counting();
    bench.now_ns = 2'500'000'000;
    counter.count(11);
    bench.receiver.print_result();
    EXPECT_EQUAL(bench.output.str(),
                 R"({"event":"second","second":0,"messages":1,"bytes":11})" "\n"
                 R"({"event":"result","connections":1,"messages":1,"bytes":11,)"
                 R"("opened_ns":1000000000,"received_ns":2500000000})" "\n");
}

void no_second_is_printed_after_the_last_message() {
    Bench bench{1, 1};
    bench.receiver.start_counting().count(11);
    bench.tick_at(2'000'000'000);
    EXPECT_EQUAL(bench.output.str(), "");
}

void connections_are_added_up_from_the_first_opening_to_the_last_message() {
    Bench bench{1, 2};
    auto& first = bench.receiver.start_counting();
    bench.now_ns = 1'100'000'000;
    auto& second = bench.receiver.start_counting();
    first.count(11);
    bench.tick_at(2'000'000'000);
    second.count(12);
    bench.now_ns = 2'500'000'000;
    bench.receiver.print_result();
    EXPECT_EQUAL(bench.output.str(),
                 R"({"event":"second","second":0,"messages":1,"bytes":11})" "\n"
                 R"({"event":"result","connections":2,"messages":2,"bytes":23,)"
                 R"("opened_ns":1000000000,"received_ns":2000000000})" "\n");
}

void a_server_that_closes_early_leaves_a_result_and_nothing_after_it() {
    Bench bench{5, 1};
    bench.receiver.start_counting().count(11);
    bench.now_ns = 1'500'000'000;
    bench.receiver.print_result();
    bench.tick_at(2'000'000'000);
    EXPECT_EQUAL(bench.output.str(),
                 R"({"event":"result","connections":1,"messages":1,"bytes":11,)"
                 R"("opened_ns":1000000000,"received_ns":1500000000})" "\n");
}

void the_ticker_starts_once_when_the_first_connection_is_open() {
    Bench bench{5, 2};
    bench.receiver.start_counting();
    bench.receiver.start_counting();
    EXPECT_EQUAL(bench.started.str(), "1000000000 ");
}

}  // namespace

int main() {
    wants_more_until_all_are_counted();
    prints_the_lines_of_the_contract();
    prints_the_lines_of_the_original_race();
    milliseconds_are_rounded_to_the_nearest();
    a_second_is_what_arrived_since_the_last();
    no_second_is_left_out_when_the_ticker_is_late();
    the_result_prints_the_seconds_that_the_ticker_missed();
    no_second_is_printed_after_the_last_message();
    connections_are_added_up_from_the_first_opening_to_the_last_message();
    a_server_that_closes_early_leaves_a_result_and_nothing_after_it();
    the_ticker_starts_once_when_the_first_connection_is_open();
    return failures == 0 ? 0 : 1;
}
