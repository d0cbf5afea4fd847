// Tests feeding.hpp. Build with g++ -std=c++17. Reports failures on stderr and exits with status 1.

#include "feeding.hpp"

#include "expect.hpp"

#include <sstream>

namespace {

constexpr std::uint64_t start_ns = 81'000'000'000;

kit::FeedSettings settings(kit::Kind kind, std::uint64_t subscribers = 1) {
    kit::FeedSettings settings;
    settings.format.kind = kind;
    settings.subscribers = subscribers;
    return settings;
}

// Subscribers named by characters, with a manual clock. Records all calls of the library.
struct Bench {
    explicit Bench(std::optional<kit::FeedSettings> settings)
        : subscribers{std::move(settings),
                   {[this](auto const& subscribed, auto const& message) {
                        for (auto const subscriber : subscribed) calls << subscriber;
                        calls << '=' << message->substr(0, 12) << ' ';
                    },
                    [this](char subscriber) { return subscriber != busy; },
                    [this](char subscriber) { calls << subscriber << "! "; },
                    [this](std::uint64_t wait_ns) { calls << '+' << wait_ns << ' '; }},
                   [this] { return now_ns; },
                   output} {}

    std::string calls_since() {
        auto const all = calls.str();
        calls.str("");
        return all;
    }

    std::string advance_at(std::uint64_t offset_ns) {
        now_ns = start_ns + offset_ns;
        subscribers.advance();
        return calls_since();
    }

    std::uint64_t now_ns = start_ns;
    char busy = '-';
    std::ostringstream output;
    std::ostringstream calls;
    kit::Subscribers<char> subscribers;
};

void messages_are_due_by_their_number_and_late_ones_are_sent_at_once() {
    auto each = settings(kit::Kind::clock);
    each.every_ns = 400;
    each.messages = 4;
    Bench bench{each};
    bench.subscribers.join('a');
    EXPECT_EQUAL(bench.calls_since(), "a=81000000000 +400 ");
    EXPECT_EQUAL(bench.advance_at(399), "+1 ");
    EXPECT_EQUAL(bench.advance_at(807), "a=81000000400 a=81000000800 +393 ");
    EXPECT_EQUAL(bench.advance_at(1200), "a=81000001200 +400 ");
    EXPECT_EQUAL(bench.advance_at(1600), "a! ");
    EXPECT_EQUAL(bench.advance_at(2000), "");
    EXPECT_EQUAL(bench.output.str(), R"({"event":"result","messages":4,"bytes":44})" "\n");
}

void what_would_be_due_at_the_end_is_not_made() {
    auto each = settings(kit::Kind::sequence);
    each.every_ns = 400;
    each.duration_ns = 800;
    Bench bench{each};
    bench.subscribers.join('a');
    bench.calls_since();
    EXPECT_EQUAL(bench.advance_at(900), "a=1 a! ");
}

void its_last_message_has_as_much_time_as_the_others() {
    auto each = settings(kit::Kind::sequence);
    each.every_ns = 400;
    each.duration_ns = 800;
    Bench bench{each};
    bench.subscribers.join('a');
    bench.calls_since();
    EXPECT_EQUAL(bench.advance_at(401), "a=1 +399 ");
    EXPECT_EQUAL(bench.advance_at(800), "a! ");
}

void a_feed_begins_with_the_last_of_its_subscribers_and_so_does_the_next() {
    auto each = settings(kit::Kind::sequence, 2);
    each.messages = 2;
    Bench bench{each};
    bench.subscribers.join('a');
    EXPECT_EQUAL(bench.calls_since(), "");
    bench.subscribers.join('b');
    EXPECT_EQUAL(bench.calls_since(), "ab=0 ab=1 a! b! ");
    bench.subscribers.leave('a');
    bench.subscribers.join('c');
    EXPECT_EQUAL(bench.calls_since(), "");
    bench.subscribers.join('d');
    EXPECT_EQUAL(bench.calls_since(), "cd=0 cd=1 c! d! ");
}

void who_joins_late_gets_the_rest_and_who_leaves_gets_none() {
    auto each = settings(kit::Kind::sequence);
    each.every_ns = 100;
    each.messages = 3;
    Bench bench{each};
    bench.subscribers.join('a');
    bench.subscribers.join('b');
    EXPECT_EQUAL(bench.calls_since(), "a=0 +100 ");
    EXPECT_EQUAL(bench.advance_at(100), "ab=1 +100 ");
    bench.subscribers.leave('a');
    EXPECT_EQUAL(bench.advance_at(200), "b=2 +100 ");
    EXPECT_EQUAL(bench.advance_at(300), "b! ");
    EXPECT_EQUAL(bench.output.str(), R"({"event":"result","messages":4,"bytes":4})" "\n");
}

void it_is_over_when_nobody_is_left() {
    auto each = settings(kit::Kind::hello);
    each.every_ns = 100;
    each.messages = 3;
    Bench bench{each};
    bench.subscribers.join('a');
    bench.subscribers.leave('a');
    EXPECT_EQUAL(bench.output.str(), R"({"event":"result","messages":1,"bytes":11})" "\n");
}

void without_an_interval_the_slowest_subscriber_sets_the_pace() {
    auto each = settings(kit::Kind::sequence, 2);
    each.duration_ns = 10;
    Bench bench{each};
    bench.busy = 'b';
    bench.subscribers.join('a');
    bench.subscribers.join('b');
    bench.subscribers.has_room('a');
    bench.subscribers.has_room('b');
    EXPECT_EQUAL(bench.calls_since(), "");
    bench.now_ns += 9;
    bench.subscribers.leave('b');
    auto const calls = bench.calls_since();
    EXPECT_EQUAL(calls.substr(0, 8), "a=0 a=1 ");
    EXPECT_EQUAL(calls.substr(calls.size() - 8), "a=63 +0 ");
    bench.subscribers.has_room('b');  // The feed does not wait for b.
    EXPECT_EQUAL(bench.calls_since(), "");
    bench.busy = 'a';
    EXPECT_EQUAL(bench.advance_at(9), "");
    bench.busy = '-';
    bench.now_ns += 1;
    bench.subscribers.has_room('a');
    EXPECT_EQUAL(bench.calls_since(), "a! ");
}

void each_second_has_the_messages_handed_over() {
    auto each = settings(kit::Kind::hello, 2);
    each.every_ns = 700'000'000;
    each.messages = 4;
    Bench bench{each};
    bench.subscribers.join('a');
    bench.subscribers.join('b');
    EXPECT_EQUAL(bench.calls_since(), "ab=hello world +700000000 ");
    EXPECT_EQUAL(bench.advance_at(700'000'000), "ab=hello world +300000000 ");
    EXPECT_EQUAL(bench.advance_at(1'000'000'000), "+400000000 ");
    bench.subscribers.leave('a');
    bench.calls_since();
    EXPECT_EQUAL(bench.advance_at(2'800'000'000), "b=hello world b=hello world b! ");
    EXPECT_EQUAL(bench.output.str(),
                 R"({"event":"second","second":0,"messages":4,"bytes":44})" "\n"
                 R"({"event":"second","second":1,"messages":0,"bytes":0})" "\n"
                 R"({"event":"result","messages":6,"bytes":66})" "\n");
}

void without_a_feed_nobody_can_join() {
    Bench bench{std::nullopt};
    bench.subscribers.join('a');
    EXPECT_EQUAL(bench.calls_since(), "a! ");
}

}  // namespace

int main() {
    messages_are_due_by_their_number_and_late_ones_are_sent_at_once();
    what_would_be_due_at_the_end_is_not_made();
    its_last_message_has_as_much_time_as_the_others();
    a_feed_begins_with_the_last_of_its_subscribers_and_so_does_the_next();
    who_joins_late_gets_the_rest_and_who_leaves_gets_none();
    it_is_over_when_nobody_is_left();
    without_an_interval_the_slowest_subscriber_sets_the_pace();
    each_second_has_the_messages_handed_over();
    without_a_feed_nobody_can_join();
    return failures == 0 ? 0 : 1;
}
