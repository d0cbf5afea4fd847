// Reads the environment variables of a client: docs/contract.md, sections 3, 5 and 7.

#pragma once

#include "feed.hpp"
#include "variables.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace kit {

enum class Lines { json, autoroute };

enum class Workload { receive, echo };

inline Workload read_workload(Environment const& environment) {
    return environment.choice<Workload>("WORKLOAD", {{"receive", Workload::receive},
                                                     {"echo", Workload::echo}});
}

// Settings of a client that receives.
struct Settings {
    static constexpr auto no_end = std::numeric_limits<std::uint64_t>::max();

    Url url{};
    std::uint64_t messages = no_end;
    std::uint64_t connections = 1;
    Lines lines = Lines::json;
    std::optional<FeedFormat> feed{};

    static Settings read(Environment const& environment) {
        Settings settings;
        settings.url = environment.url();
        settings.feed = FeedFormat::read(environment);
        if (!settings.feed || environment.has("MESSAGES")) {
            settings.messages = environment.count("MESSAGES", "how many to receive");
        }
        settings.connections = environment.count_or("CONNECTIONS", 1);
        if (!settings.feed) {
            settings.lines = environment.choice<Lines>(
                "LINES", {{"json", Lines::json}, {"autoroute", Lines::autoroute}});
        }
        return settings;
    }
};

// Settings of a client that exchanges echoes.
struct EchoSettings {
    Url url{};
    std::uint64_t connections = 1;
    std::string payload = "hello world";
    std::uint64_t warm_up_ns = 0;
    std::uint64_t window_ns = 0;

    static EchoSettings read(Environment const& environment) {
        EchoSettings settings;
        settings.url = environment.url();
        settings.connections = environment.count_or("CONNECTIONS", 1);
        settings.payload = environment.find("PAYLOAD").value_or(settings.payload);
        settings.warm_up_ns = environment.duration_ns_or("WARM_UP_S", 0);
        settings.window_ns = environment.time_ns("WINDOW_S", "how many seconds count");
        return settings;
    }
};

}  // namespace kit
