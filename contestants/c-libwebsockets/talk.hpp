// A connection of bots: events wait until libwebsockets says that it is writable.

#pragma once

#include "cpp/bots.hpp"
#include "message.hpp"

#include <deque>

struct Talk {
    void send(std::string const& event) {
        events.push_back(with_room(event));
        lws_callback_on_writable(wsi);
    }

    // Returns what the callback is to return.
    int write_next() {
        if (events.empty()) return 0;
        if (!write(wsi, events.front(), true)) return -1;
        events.pop_front();
        return events.empty() ? 0 : lws_callback_on_writable(wsi) < 0;
    }

    void receive(void const* in, std::size_t length) {
        if (!assembly.take(wsi, in, length)) return;
        bot->answered(assembly.message(), !lws_frame_is_binary(wsi));
    }

    lws* wsi = nullptr;
    kit::Bot* bot = nullptr;
    Assembly assembly{};
    std::deque<std::string> events{};
};
