// Sends a feed with libwebsockets: each subscriber writes from its queue when it is writable.

#pragma once

#include "cpp/feeding.hpp"
#include "session.hpp"

class Feeding {
public:
    Feeding(lws_context* context, std::optional<kit::FeedSettings> const& settings)
        : subscribers{settings,
                      {[this](auto const& subscribed, auto const& message) {
                           auto const padded = std::make_shared<std::string>(with_room(*message));
                           for (auto const subscriber : subscribed) subscriber->send(padded, subscribers.is_text());
                       },
                       [](auto const subscriber) { return subscriber->is_ready; },
                       [](auto const subscriber) { subscriber->close(); },
                       [this, context](auto wait_ns) {
                           auto const wait_us = static_cast<lws_usec_t>((wait_ns + 999) / 1000);
                           lws_sul_schedule(context, 0, &timer.list, advance, wait_us);
                       }}},
          is_continuous{settings && !settings->every_ns} {}

    kit::Subscribers<Session*> subscribers;
    bool const is_continuous;

private:
    // The library passes only the list entry to the callback, which computes the Timer from it.
    struct Timer {
        lws_sorted_usec_list_t list;
        Feeding* feeding;
    };

    static void advance(lws_sorted_usec_list_t* list) {
        lws_container_of(list, Timer, list)->feeding->subscribers.advance();
    }

    Timer timer{{}, this};
};
