// Tests exchanger.hpp. Build with g++ -std=c++17 -pthread. Reports failures on stderr and exits
// with status 1.

#include "exchanger.hpp"

#include "expect.hpp"

#include <sstream>

namespace {

constexpr std::uint64_t opened_ns = 81'000'000'000;
constexpr std::uint64_t warm_up_ns = 500;
constexpr std::uint64_t window_ns = 2'000;
constexpr std::uint64_t window_at_ns = opened_ns + warm_up_ns;

// An exchanger with a manual clock.
struct Bench {
    explicit Bench(std::uint64_t connections)
        : exchanger{settings(connections), [this] { return now_ns; }, output} {}

    static kit::EchoSettings settings(std::uint64_t connections) {
        kit::EchoSettings settings;
        settings.connections = connections;
        settings.payload = "grüezi";
        settings.warm_up_ns = warm_up_ns;
        settings.window_ns = window_ns;
        return settings;
    }

    bool answer_at(std::uint64_t instant_ns, std::string_view answer = "grüezi",
                   bool is_text = true) {
        now_ns = instant_ns;
        return exchange->answered(answer, is_text);
    }

    void open() { exchange = &exchanger.opened(); }

    std::string result() {
        exchanger.finish();
        return output.str();
    }

    std::uint64_t now_ns = opened_ns;
    std::ostringstream output;
    kit::Exchanger exchanger;
    kit::Exchange* exchange = nullptr;
};

std::string line(int connections, int echoed, int wrong) {
    std::ostringstream line;
    line << R"({"event":"result","connections":)" << connections << R"(,"echoed":)" << echoed
         << R"(,"wrong":)" << wrong << R"(,"window_ns":2000})" "\n";
    return line.str();
}

void counts_what_comes_within_the_window_and_ends_after_it() {
    struct {
        std::uint64_t at_ns;
        int echoed;
        bool is_ongoing;
    } const cases[] = {
        {opened_ns, 0, true},
        {window_at_ns - 1, 0, true},
        {window_at_ns, 1, true},
        {window_at_ns + window_ns - 1, 1, true},
        {window_at_ns + window_ns, 0, false},
    };
    for (auto const& [at_ns, echoed, is_ongoing] : cases) {
        Bench bench{1};
        bench.open();
        EXPECT_EQUAL(bench.answer_at(at_ns) ? "goes on" : "ends", is_ongoing ? "goes on" : "ends");
        EXPECT_EQUAL(bench.result(), line(1, echoed, 0));
    }
}

void another_content_or_type_is_wrong_and_not_echoed() {
    std::pair<std::string, bool> const answers[] = {
        {"", true}, {"grüezj", true}, {"grüezi ", true}, {"grüezi", false}};
    for (auto const& [answer, is_text] : answers) {
        Bench bench{1};
        bench.open();
        EXPECT_EQUAL(bench.answer_at(window_at_ns, answer, is_text) ? "goes on" : "ends", "goes on");
        EXPECT_EQUAL(bench.result(), line(1, 0, 1));
    }
}

void a_wrong_answer_is_counted_whenever_it_comes() {
    Bench bench{1};
    bench.open();
    bench.answer_at(opened_ns, "other");
    EXPECT_EQUAL(bench.answer_at(window_at_ns + window_ns, "other") ? "goes on" : "ends", "ends");
    EXPECT_EQUAL(bench.result(), line(1, 0, 2));
}

void the_warm_up_begins_when_the_last_connection_is_open() {
    Bench bench{2};
    bench.open();
    auto const late_ns = opened_ns + 10 * window_ns;
    EXPECT_EQUAL(bench.answer_at(late_ns) ? "goes on" : "ends", "goes on");
    bench.open();
    bench.answer_at(late_ns + warm_up_ns - 1);
    bench.answer_at(late_ns + warm_up_ns);
    bench.answer_at(late_ns + warm_up_ns);
    EXPECT_EQUAL(bench.result(), line(2, 2, 0));
}

}  // namespace

int main() {
    counts_what_comes_within_the_window_and_ends_after_it();
    another_content_or_type_is_wrong_and_not_echoed();
    a_wrong_answer_is_counted_whenever_it_comes();
    the_warm_up_begins_when_the_last_connection_is_open();
    return failures == 0 ? 0 : 1;
}
