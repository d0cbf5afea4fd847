// Reads the environment variables of a server: docs/contract.md, section 8.

#pragma once

#include "feed.hpp"
#include "variables.hpp"

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace kit {

inline std::string read_file(std::string const& path) {
    std::ifstream file{path, std::ios::binary | std::ios::ate};
    if (!file) throw std::invalid_argument{"cannot be read: " + path};
    std::string content(static_cast<std::size_t>(file.tellg()), '\0');
    file.seekg(0);
    file.read(content.data(), static_cast<std::streamsize>(content.size()));
    if (!file) throw std::invalid_argument{"cannot be read: " + path};
    return content;
}

// Settings of a feed.
struct FeedSettings {
    FeedFormat format{};
    std::uint64_t stocks = 1;
    std::string stocks_file{};
    std::uint64_t subscribers = 1;
    std::optional<std::uint64_t> every_ns{};  // unset: continuous
    std::optional<std::uint64_t> duration_ns{};
    std::optional<std::uint64_t> messages{};

    // Reads the variables of a feed. Returns nothing if FEED is not set.
    static std::optional<FeedSettings> read(Environment const& environment) {
        auto const format = FeedFormat::read(environment);
        if (!format) return std::nullopt;
        if (environment.has("SECONDS") == environment.has("MESSAGES")) {
            throw std::invalid_argument{"MESSAGES or SECONDS: set exactly one of them"};
        }
        FeedSettings settings;
        settings.format = *format;
        settings.stocks = environment.count_or("STOCKS", 1, 1'000'000);
        settings.subscribers = environment.count_or("SUBSCRIBERS", 1);
        if (environment.has("EVERY_MS")) settings.every_ns = environment.interval_ns();
        if (environment.has("SECONDS")) {
            settings.duration_ns = environment.time_ns("SECONDS", "");
        } else {
            settings.messages = environment.count("MESSAGES", "");
        }
        if (format->kind == Kind::stocks) {
            settings.stocks_file = environment.required("STOCKS_FILE", "where records come from");
            settings.check_stocks_file();
        }
        return settings;
    }

    // Reads the file again and returns the records of a message: docs/contract.md, clause 7.1.
    std::vector<Stock> stocks_of_message(std::uint64_t number) const {
        if (format.kind != Kind::stocks) return {};
        auto const rows = parse_stocks(read_file(stocks_file));
        std::vector<Stock> chosen;
        chosen.reserve(stocks);
        auto row = number % rows.size();
        while (chosen.size() < stocks) {
            chosen.push_back(rows[row]);
            if (++row == rows.size()) row = 0;
        }
        return chosen;
    }

private:
    void check_stocks_file() const {
        try {
            stocks_of_message(0);
        } catch (std::invalid_argument const& error) {
            throw std::invalid_argument{"STOCKS_FILE " + std::string{error.what()}};
        }
    }
};

// Paths of the PEM files with the certificate chain and the key.
struct Tls {
    std::string certificate_file;
    std::string key_file;
};

// Settings of a server.
struct ServerSettings {
    // Largest payload that a server must accept, whatever the default of its library.
    static constexpr std::size_t payload_bytes_max = 16 * 1024 * 1024;

    std::string host = "127.0.0.1";
    std::uint16_t port = 0;
    std::optional<Tls> tls{};
    std::uint64_t workers = 1;
    bool deflate = false;
    std::optional<FeedSettings> feed{};

    // Reads the environment variables, or ends the program if one is wrong.
    static ServerSettings from_environment() { return read_or_fail(read); }

    static ServerSettings read(Environment const& environment) {
        ServerSettings settings;
        settings.host = environment.find("HOST").value_or(settings.host);
        settings.port =
            static_cast<std::uint16_t>(environment.count("PORT", "where to listen", 65'535));
        settings.tls = read_tls(environment);
        settings.workers = environment.count_or("WORKERS", 1);
        settings.deflate =
            environment.choice<bool>("COMPRESSION", {{"", false}, {"deflate", true}});
        settings.feed = FeedSettings::read(environment);
        return settings;
    }

private:
    static std::optional<Tls> read_tls(Environment const& environment) {
        if (!environment.has("TLS_CERT") && !environment.has("TLS_KEY")) return std::nullopt;
        Tls const tls{environment.required("TLS_CERT", "the certificate of TLS_KEY"),
                      environment.required("TLS_KEY", "the key of TLS_CERT")};
        try {
            read_file(tls.certificate_file);
            read_file(tls.key_file);
        } catch (std::invalid_argument const& error) {
            throw std::invalid_argument{"TLS_CERT and TLS_KEY must be files; one " +
                                        std::string{error.what()}};
        }
        return tls;
    }
};

}  // namespace kit
