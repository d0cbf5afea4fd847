// Tests receiver.hpp and report.hpp. Build with g++ -std=c++17 -pthread. Reports failures on stderr
// and exits with status 1.

#include "receiver.hpp"

#include "expect.hpp"

#include <sstream>
#include <string_view>

namespace {

std::string_view const payload = "hello world and more";

std::string_view of_length(std::size_t bytes) { return payload.substr(0, bytes); }

void returns_true_when_all_messages_are_received_and_counts_no_more() {
    int readings = 0;
    kit::Clock const clock = [&] { return ++readings, 99; };
    kit::Settings settings;
    settings.messages = 3;
    kit::Connection connection{settings, clock};
    std::ostringstream got;
    for (int i = 0; i < 4; ++i) got << connection.received(of_length(11), true) << readings << ' ';
    auto const totals = connection.totals();
    got << totals.messages << ' ' << totals.bytes << ' ' << connection.received_ns();
    EXPECT_EQUAL(got.str(), "00 00 11 11 3 33 99");
}

kit::Outcome const outcome{1, {1'000'000, 11'000'000}, 81'000'000'000, 83'830'000'000};

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

// A receiver with a manual clock.
struct Bench {
    Bench(std::uint64_t messages, std::uint64_t connections,
          std::optional<kit::FeedFormat> feed = std::nullopt)
        : receiver{settings(messages, connections, feed), "cpp-library", [this] { return now_ns; },
                   output, [this](kit::Receiver&, std::uint64_t opened_ns) {
                       started << opened_ns << ' ';
                   }} {}

    static kit::Settings settings(std::uint64_t messages, std::uint64_t connections,
                                  std::optional<kit::FeedFormat> feed) {
        kit::Settings settings;
        settings.messages = messages;
        settings.connections = connections;
        settings.feed = feed;
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
    auto& connection = bench.receiver.opened();
    connection.received(of_length(11), true);
    connection.received(of_length(12), true);
    bench.tick_at(1'999'999'999);
    bench.tick_at(2'000'000'000);
    bench.tick_at(3'000'000'000);
    connection.received(of_length(13), true);
    bench.tick_at(4'000'000'000);
    EXPECT_EQUAL(bench.output.str(),
                 R"({"event":"second","second":0,"messages":2,"bytes":23})" "\n"
                 R"({"event":"second","second":1,"messages":0,"bytes":0})" "\n"
                 R"({"event":"second","second":2,"messages":1,"bytes":13})" "\n");
}

void no_second_is_left_out_when_the_ticker_is_late() {
    Bench bench{10, 1};
    bench.receiver.opened().received(of_length(11), true);
    bench.tick_at(3'100'000'000);
    EXPECT_EQUAL(bench.output.str(),
                 R"({"event":"second","second":0,"messages":1,"bytes":11})" "\n"
                 R"({"event":"second","second":1,"messages":0,"bytes":0})" "\n");
}

void the_result_prints_the_seconds_that_the_ticker_missed() {
    Bench bench{1, 1};
    auto& connection = bench.receiver.opened();
    bench.now_ns = 2'500'000'000;
    connection.received(of_length(11), true);
    bench.receiver.finish();
    EXPECT_EQUAL(bench.output.str(),
                 R"({"event":"second","second":0,"messages":1,"bytes":11})" "\n"
                 R"({"event":"result","connections":1,"messages":1,"bytes":11,)"
                 R"("opened_ns":1000000000,"received_ns":2500000000})" "\n");
}

void no_second_is_printed_after_the_last_message() {
    Bench bench{1, 1};
    bench.receiver.opened().received(of_length(11), true);
    bench.tick_at(2'000'000'000);
    EXPECT_EQUAL(bench.output.str(), "");
}

void connections_are_added_up_from_the_first_opening_to_the_last_message() {
    Bench bench{1, 2};
    auto& first = bench.receiver.opened();
    bench.now_ns = 1'100'000'000;
    auto& second = bench.receiver.opened();
    first.received(of_length(11), true);
    bench.tick_at(2'000'000'000);
    second.received(of_length(12), true);
    bench.now_ns = 2'500'000'000;
    bench.receiver.finish();
    EXPECT_EQUAL(bench.output.str(),
                 R"({"event":"second","second":0,"messages":1,"bytes":11})" "\n"
                 R"({"event":"result","connections":2,"messages":2,"bytes":23,)"
                 R"("opened_ns":1000000000,"received_ns":2000000000})" "\n");
}

void a_server_that_closes_early_leaves_a_result_and_nothing_after_it() {
    Bench bench{5, 1};
    bench.receiver.opened().received(of_length(11), true);
    bench.now_ns = 1'500'000'000;
    bench.receiver.finish();
    bench.tick_at(2'000'000'000);
    EXPECT_EQUAL(bench.output.str(),
                 R"({"event":"result","connections":1,"messages":1,"bytes":11,)"
                 R"("opened_ns":1000000000,"received_ns":1500000000})" "\n");
}

void the_ticker_starts_once_when_the_first_connection_is_open() {
    Bench bench{5, 2};
    bench.receiver.opened();
    bench.receiver.opened();
    EXPECT_EQUAL(bench.started.str(), "1000000000 ");
}

void a_feed_is_checked_and_summed_up() {
    Bench bench{kit::Settings::no_end, 2, kit::FeedFormat{kit::Kind::stocks}};
    auto& first = bench.receiver.opened();
    auto& second = bench.receiver.opened();
    first.received(R"({"sequence":7,"time_ns":999999500,"stocks":[]})", true);
    first.received(R"({"sequence":9,"time_ns":999999500,"stocks":[]})", true);
    second.received(R"({"sequence":9,"time_ns":999998000,"stocks":[]})", true);
    second.received(R"({"sequence":10,"time_ns":1000000001,"stocks":[]})", true);
    second.received(R"({"sequence":11,"time_ns":1,"stocks":[]})", false);
    bench.receiver.finish();
    EXPECT_EQUAL(bench.output.str(),
                 R"({"event":"result","connections":2,"messages":5,"bytes":225,)"
                 R"("opened_ns":1000000000,"received_ns":1000000000,"wrong":2,)"
                 R"("sequence":{"in_order":2,"gaps":1,"missing":1,"duplicates":0,"reordered":0,)"
                 R"("unexpected":0},"latency_ns":{"500":2,"2000":1}})" "\n");
}

void what_a_feed_does_not_tell_is_null() {
    Bench bench{1, 1, kit::FeedFormat{kit::Kind::hello, kit::Encoding::binary}};
    bench.receiver.opened().received("hello world", false);
    bench.receiver.finish();
    EXPECT_EQUAL(bench.output.str(),
                 R"({"event":"result","connections":1,"messages":1,"bytes":11,)"
                 R"("opened_ns":1000000000,"received_ns":1000000000,"wrong":0,)"
                 R"("sequence":null,"latency_ns":null})" "\n");
}

}  // namespace

int main() {
    returns_true_when_all_messages_are_received_and_counts_no_more();
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
    a_feed_is_checked_and_summed_up();
    what_a_feed_does_not_tell_is_null();
    return failures == 0 ? 0 : 1;
}
