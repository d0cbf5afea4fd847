// A connection of the server: outgoing messages wait until libwebsockets reports it as writable.

#pragma once

#include "message.hpp"

#include <deque>
#include <memory>

struct Session {
    struct Outgoing {
        std::shared_ptr<std::string> padded;
        bool is_text;
    };

    // Number of queued answers at which reading stops, for a peer that sends but does not read.
    static constexpr std::size_t answers_max = 64;

    void send(std::shared_ptr<std::string> padded, bool is_text) {
        messages.push_back({std::move(padded), is_text});
        is_ready = false;
        lws_callback_on_writable(wsi);
    }

    void echo(void const* in, std::size_t length) {
        if (!assembly.take(wsi, in, length)) return;
        auto padded = std::make_shared<std::string>(with_room(assembly.message()));
        send(std::move(padded), !lws_frame_is_binary(wsi));
        if (messages.size() == answers_max) hold(true);
    }

    void close() {
        is_closing = true;
        lws_callback_on_writable(wsi);
    }

    // Writes the next message; returns the value for the callback to return.
    int write_next() {
        is_ready = messages.empty();
        if (is_ready) return is_closing ? close_normally(wsi) : 0;
        written = std::move(messages.front());
        messages.pop_front();
        if (!write(wsi, *written.padded, written.is_text)) return -1;
        if (messages.empty() && is_held) hold(false);
        bool const has_more = !messages.empty() || is_closing || is_awaited;
        if (has_more) lws_callback_on_writable(wsi);
        return 0;
    }

    void hold(bool hold) {
        is_held = hold;
        lws_rx_flow_control(wsi, hold ? 0 : 1);
    }

    lws* wsi;
    bool is_subscriber;
    bool is_awaited;  // a continuous feed waits until all is written
    bool is_ready = true;
    bool is_closing = false;
    bool is_held = false;
    Assembly assembly{};
    std::deque<Outgoing> messages{};
    // With compression, the library may access the payload after lws_write has returned, so it
    // lives until the next write.
    Outgoing written{};
};
