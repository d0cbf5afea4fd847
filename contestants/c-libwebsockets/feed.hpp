// Feeds an audience with libwebsockets: each member writes from its queue when it is writable.

#pragma once

#include "cpp/feeding.hpp"
#include "session.hpp"

class Feeding {
public:
    Feeding(lws_context* context, std::optional<kit::FeedSettings> const& settings)
        : audience{settings,
                   {[this](auto const& members, auto const& message) {
                        auto const padded = std::make_shared<std::string>(with_room(*message));
                        for (auto const member : members) member->send(padded, audience.is_text());
                    },
                    [](auto const member) { return member->is_ready; },
                    [](auto const member) { member->close(); },
                    [this, context](auto wait_ns) {
                        auto const wait_us = static_cast<lws_usec_t>((wait_ns + 999) / 1000);
                        lws_sul_schedule(context, 0, &timer.list, advance, wait_us);
                    }}},
          is_continuous{settings && !settings->every_ns} {}

    kit::Audience<Session*> audience;
    bool const is_continuous;

private:
    // The library gives a callback its list, and what lies around it is found from there.
    struct Timer {
        lws_sorted_usec_list_t list;
        Feeding* feeding;
    };

    static void advance(lws_sorted_usec_list_t* list) {
        lws_container_of(list, Timer, list)->feeding->audience.advance();
    }

    Timer timer{{}, this};
};
