// Reads the JSON test vectors that all kits share. For tests only: it does not validate its input.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

// A JSON value; numbers and strings are stored as text.
struct Json {
    std::string text{};
    std::vector<Json> items{};
    std::map<std::string, Json> fields{};

    Json const& operator[](std::string const& name) const { return fields.at(name); }
    bool has(std::string const& name) const { return fields.count(name) > 0; }
    std::uint64_t number() const { return std::strtoull(text.c_str(), nullptr, 10); }
};

class JsonReader {
public:
    explicit JsonReader(std::string_view text) : rest_{text} {}

    Json read() {
        switch (next()) {
            case '{':
                return read_object();
            case '[':
                return read_array();
            case '"':
                return {read_string()};
            default:
                return {read_word()};
        }
    }

private:
    // Returns the next character that is not white space.
    char next() {
        rest_.remove_prefix(rest_.find_first_not_of(" \n"));
        return rest_.front();
    }

    char take() {
        char const character = rest_.front();
        rest_.remove_prefix(1);
        return character;
    }

    bool skip(char mark) {
        if (next() != mark) return false;
        take();
        return true;
    }

    Json read_object() {
        Json object;
        skip('{');
        while (!skip('}')) {
            next();
            auto const name = read_string();
            skip(':');
            object.fields.emplace(name, read());
            skip(',');
        }
        return object;
    }

    Json read_array() {
        Json array;
        skip('[');
        while (!skip(']')) {
            array.items.push_back(read());
            skip(',');
        }
        return array;
    }

    // Supports only escaped quotes and backslashes.
    std::string read_string() {
        std::string string;
        take();
        for (char c = take(); c != '"'; c = take()) string += c == '\\' ? take() : c;
        return string;
    }

    std::string read_word() {
        auto const word = rest_.substr(0, rest_.find_first_of(",]} \n"));
        rest_.remove_prefix(word.size());
        return std::string{word};
    }

    std::string_view rest_;
};
