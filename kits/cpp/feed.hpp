// Encodes and decodes the messages of a feed: docs/contract.md, section 7.

#pragma once

#include "variables.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace kit {

// ---- Records -----------------------------------------------------------------------------------

struct Stock {
    std::array<double, 4> prices;  // open, high, low, close
    std::uint64_t volume;
};

// Parses digits, a decimal point and two digits.
inline std::optional<double> parse_price(std::string_view text) {
    auto const is_digit = [](char c) { return c >= '0' && c <= '9'; };
    auto const point = text.size() < 4 ? 0 : text.size() - 3;
    if (point == 0 || point > 7 || text[point] != '.') return std::nullopt;
    auto const digits = std::count_if(text.begin(), text.end(), is_digit);
    if (static_cast<std::size_t>(digits) != text.size() - 1) return std::nullopt;
    double price = 0;
    std::from_chars(text.data(), text.data() + text.size(), price);
    return price;
}

inline std::optional<std::uint64_t> parse_volume(std::string_view text) {
    if (text.size() > 15) return std::nullopt;
    return parse_number(text);
}

// Removes and returns the text before the next mark, or all of it if there is none. Removes the
// mark as well.
inline std::string_view cut(std::string_view& text, char mark) {
    auto const part = text.substr(0, text.find(mark));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    return part;
}

// Parses the content of a CSV file. Throws std::invalid_argument with the reason if it is
// malformed.
inline std::vector<Stock> parse_stocks(std::string_view text) {
    constexpr std::string_view head = "date,open,high,low,close,volume";
    if (cut(text, '\n') != head || text.empty()) {
        throw std::invalid_argument{"must have the line " + std::string{head} +
                                    " at its head, and records"};
    }
    std::vector<Stock> stocks;
    while (!text.empty()) {
        auto const line = cut(text, '\n');
        auto rest = line;
        cut(rest, ',');  // The date.
        Stock stock{};
        bool is_record = true;
        for (auto& price : stock.prices) {
            auto const parsed = parse_price(cut(rest, ','));
            is_record = is_record && parsed;
            price = parsed.value_or(0);
        }
        auto const volume = parse_volume(rest);
        if (!is_record || !volume) {
            throw std::invalid_argument{"has a line that is no record: " + std::string{line}};
        }
        stock.volume = *volume;
        stocks.push_back(stock);
    }
    return stocks;
}

// ---- Writing -----------------------------------------------------------------------------------

// Encodes one message into a string.
class Writer {
public:
    void text(std::string_view text) { message_ += text; }

    void decimal(std::uint64_t number) { written(number); }

    void price(double price) { written(price, std::chars_format::fixed, 2); }

    void word(std::uint64_t number, std::size_t bytes = 8) {
        for (auto shift = bytes * 8; shift > 0; shift -= 8) {
            message_ += static_cast<char>(number >> (shift - 8));
        }
    }

    void word(double number) {
        std::uint64_t bits;
        std::memcpy(&bits, &number, sizeof bits);
        word(bits);
    }

    std::string take() { return std::move(message_); }

private:
    template <typename... Number>
    void written(Number... number) {
        std::array<char, 32> digits;
        auto const end = std::to_chars(digits.data(), digits.data() + digits.size(), number...).ptr;
        message_.append(digits.data(), end);
    }

    std::string message_;
};

inline void write_json(Writer& writer, std::uint64_t number, std::uint64_t time_ns,
                       std::vector<Stock> const& stocks) {
    constexpr char const* keys[] = {R"("open":)", R"(,"high":)", R"(,"low":)", R"(,"close":)"};
    writer.text(R"({"sequence":)");
    writer.decimal(number);
    writer.text(R"(,"time_ns":)");
    writer.decimal(time_ns);
    writer.text(R"(,"stocks":[)");
    for (auto const& stock : stocks) {
        writer.text(&stock == &stocks.front() ? "{" : ",{");
        for (std::size_t i = 0; i < stock.prices.size(); ++i) {
            writer.text(keys[i]);
            writer.price(stock.prices[i]);
        }
        writer.text(R"(,"volume":)");
        writer.decimal(stock.volume);
        writer.text("}");
    }
    writer.text("]}");
}

inline void write_binary(Writer& writer, std::uint64_t number, std::uint64_t time_ns,
                         std::vector<Stock> const& stocks) {
    writer.word(number);
    writer.word(time_ns);
    writer.word(stocks.size(), 4);
    for (auto const& stock : stocks) {
        for (auto const price : stock.prices) writer.word(price);
        writer.word(stock.volume);
    }
}

// ---- Reading -----------------------------------------------------------------------------------

// Removes and returns a decimal number; returns nothing if there is none or it has leading zeros.
inline std::optional<std::uint64_t> take_decimal(std::string_view& text) {
    std::uint64_t number = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    auto const length = static_cast<std::size_t>(end - text.data());
    if (error != std::errc{} || (length > 1 && text.front() == '0')) return std::nullopt;
    text.remove_prefix(length);
    return number;
}

inline bool take_text(std::string_view& text, std::string_view expected) {
    if (text.substr(0, expected.size()) != expected) return false;
    text.remove_prefix(expected.size());
    return true;
}

inline std::uint64_t take_word(std::string_view& bytes, std::size_t length = 8) {
    std::uint64_t number = 0;
    for (auto const byte : bytes.substr(0, length)) {
        number = number << 8 | static_cast<unsigned char>(byte);
    }
    bytes.remove_prefix(length);
    return number;
}

// ---- Format ------------------------------------------------------------------------------------

enum class Kind { hello, sequence, clock, stocks };

enum class Encoding { json, binary };

// The sequence number and the time in a message, if its kind has them.
struct Heading {
    std::optional<std::uint64_t> number{};
    std::optional<std::uint64_t> time_ns{};
};

// The kind and the encoding of a feed's messages.
struct FeedFormat {
    static constexpr std::string_view greeting = "hello world";

    Kind kind = Kind::hello;
    Encoding encoding = Encoding::json;

    // Reads the variables of a feed. Returns nothing if FEED is not set.
    static std::optional<FeedFormat> read(Environment const& environment) {
        if (!environment.has("FEED")) return std::nullopt;
        return FeedFormat{
            environment.choice<Kind>("FEED", {{"hello", Kind::hello},
                                              {"sequence", Kind::sequence},
                                              {"clock", Kind::clock},
                                              {"stocks", Kind::stocks}}),
            environment.choice<Encoding>(
                "ENCODING", {{"json", Encoding::json}, {"binary", Encoding::binary}})};
    }

    bool has_number() const { return kind == Kind::sequence || kind == Kind::stocks; }
    bool has_instant() const { return kind == Kind::clock || kind == Kind::stocks; }
    bool is_text() const { return encoding == Encoding::json; }

    // Returns an encoded message. Only messages of kind stocks use the records.
    std::string encode(std::uint64_t number, std::uint64_t time_ns,
                       std::vector<Stock> const& stocks) const {
        if (kind == Kind::hello) return std::string{greeting};
        Writer writer;
        auto const value = kind == Kind::sequence ? number : time_ns;
        if (kind == Kind::stocks) {
            (is_text() ? write_json : write_binary)(writer, number, time_ns, stocks);
        } else if (is_text()) {
            writer.decimal(value);
        } else {
            writer.word(value);
        }
        return writer.take();
    }

    // Returns the message's number and time, or nothing if it is not a message of this feed.
    std::optional<Heading> decode(std::string_view message, bool is_text_message) const {
        if (is_text_message != is_text()) return std::nullopt;
        if (kind == Kind::hello) {
            return message == greeting ? std::optional{Heading{}} : std::nullopt;
        }
        auto const heading = kind == Kind::stocks
                                 ? (is_text() ? decode_json(message) : decode_binary(message))
                                 : decode_value(message);
        if (!heading || heading->number.value_or(0) >> 53 || heading->time_ns.value_or(0) >> 63) {
            return std::nullopt;
        }
        return heading;
    }

private:
    std::optional<Heading> decode_value(std::string_view message) const {
        if (!is_text() && message.size() != 8) return std::nullopt;
        auto const value = is_text() ? take_decimal(message) : take_word(message);
        if (!value || !message.empty()) return std::nullopt;
        return kind == Kind::sequence ? Heading{value, {}} : Heading{{}, value};
    }

    static std::optional<Heading> decode_json(std::string_view message) {
        Heading heading;
        if (!take_text(message, R"({"sequence":)")) return std::nullopt;
        heading.number = take_decimal(message);
        if (!heading.number || !take_text(message, R"(,"time_ns":)")) return std::nullopt;
        heading.time_ns = take_decimal(message);
        if (!heading.time_ns || !take_text(message, R"(,"stocks":[)")) return std::nullopt;
        if (message.size() < 2 || message.substr(message.size() - 2) != "]}") return std::nullopt;
        return heading;
    }

    static std::optional<Heading> decode_binary(std::string_view message) {
        if (message.size() < 20) return std::nullopt;
        Heading const heading{take_word(message), take_word(message)};
        auto const records = take_word(message, 4);
        if (message.size() != records * 40) return std::nullopt;
        return heading;
    }
};

}  // namespace kit
