// Tests feed.hpp, sequence.hpp and latency.hpp with the test vectors that all kits share. Build
// with g++ -std=c++17 and run in this folder. Reports failures on stderr and exits with status 1.

#include "feed.hpp"
#include "latency.hpp"
#include "sequence.hpp"
#include "serving.hpp"

#include "expect.hpp"
#include "json.hpp"

#include <sstream>

namespace {

kit::FeedFormat format_of(Json const& given) {
    kit::Environment const environment{
        [&](std::string const& name) -> std::optional<std::string> {
            return given[name == "FEED" ? "kind" : "encoding"].text;
        }};
    return *kit::FeedFormat::read(environment);
}

std::string message_of(Json const& given) {
    if (given.has("text")) return given["text"].text;
    std::string bytes;
    auto const& hex = given["hex"].text;
    for (std::size_t i = 0; i < hex.size(); i += 2) {
        bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
    }
    return bytes;
}

std::string shown(std::optional<std::uint64_t> number) {
    return number ? std::to_string(*number) : "nothing";
}

void a_message_is_written_and_read(Json const& given) {
    kit::FeedSettings settings;
    settings.format = format_of(given);
    settings.stocks = given["stocks"].number();
    settings.stocks_file = "../stocks.csv";
    auto const number = given["number"].number();
    auto const time_ns = given["time_ns"].number();
    auto const message = message_of(given);
    auto const& format = settings.format;
    EXPECT_EQUAL(format.encode(number, time_ns, settings.stocks_of_message(number)), message);
    auto const heading = format.decode(message, given.has("text"));
    EXPECT_EQUAL(heading ? "right" : "wrong", "right");
    if (!heading) return;
    EXPECT_EQUAL(shown(heading->number), format.has_number() ? shown(number) : "nothing");
    EXPECT_EQUAL(shown(heading->time_ns), format.has_instant() ? shown(time_ns) : "nothing");
}

void what_is_not_of_the_feed_is_wrong(Json const& given) {
    auto const heading = format_of(given).decode(message_of(given), given.has("text"));
    EXPECT_EQUAL(heading ? message_of(given) : "wrong", "wrong");
}

void numbers_get_their_verdicts(Json const& given) {
    std::string const names[] = {"in_order", "gap", "duplicate", "reordered", "unexpected"};
    kit::Sequence sequence;
    std::string got;
    std::string expected;
    for (auto const& number : given["numbers"].items) {
        got += names[static_cast<int>(sequence.check(number.number()))] + ' ';
    }
    for (auto const& verdict : given["verdicts"].items) expected += verdict.text + ' ';
    EXPECT_EQUAL(got, expected);
    std::ostringstream counts;
    counts << sequence.counts();
    auto const counted = JsonReader{counts.str()}.read();
    for (auto const& [name, count] : given["counts"].fields) {
        EXPECT_EQUAL(counted[name].text, count.text);
    }
}

void latencies_are_rounded(Json const& given) {
    kit::Latencies latencies;
    latencies.record(given.items[0].number());
    std::ostringstream counts;
    counts << latencies;
    EXPECT_EQUAL(counts.str(), "{\"" + given.items[1].text + "\":1}");
}

}  // namespace

int main() {
    auto const text = kit::read_file("../vectors.json");
    auto const vectors = JsonReader{text}.read();
    for (auto const& given : vectors["feeds"].items) a_message_is_written_and_read(given);
    for (auto const& given : vectors["wrong"].items) what_is_not_of_the_feed_is_wrong(given);
    for (auto const& given : vectors["sequences"].items) numbers_get_their_verdicts(given);
    for (auto const& given : vectors["roundings"].items) latencies_are_rounded(given);
    return failures == 0 ? 0 : 1;
}
