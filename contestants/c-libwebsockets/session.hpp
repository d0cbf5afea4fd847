// A connection of libwebsockets: a message arrives in pieces, and one can be written when the connection is writable.

#pragma once

#include <cstddef>
#include <deque>
#include <libwebsockets.h>
#include <memory>
#include <string>
#include <string_view>

struct Message {
    std::string padded;  // the payload, with the room in front that lws_write needs
    lws_write_protocol type;
};

struct Session {
    // Number of waiting answers at which reading stops, for a peer that sends but does not read.
    static constexpr std::size_t answers_max = 64;

    // Adds a piece of a message, and returns whether the message is complete.
    bool take(void const* in, std::size_t length) {
        std::string_view const piece{static_cast<char const*>(in), length};
        if (is_complete) kept.clear();
        is_complete = lws_is_final_fragment(wsi);
        // Most messages consist of one piece and are not copied.
        if (is_complete && kept.empty()) {
            payload = piece;
        } else {
            kept += piece;
            payload = kept;
        }
        return is_complete;
    }

    // Returns a copy of the complete message.
    std::shared_ptr<Message> message() const {
        auto const type = lws_frame_is_binary(wsi) ? LWS_WRITE_BINARY : LWS_WRITE_TEXT;
        auto const copy = std::make_shared<Message>(Message{std::string(LWS_PRE, '\0'), type});
        copy->padded += payload;
        return copy;
    }

    void send(std::shared_ptr<Message> message) {
        waiting.push_back(std::move(message));
        lws_callback_on_writable(wsi);
    }

    void echo() {
        send(message());
        if (waiting.size() == answers_max) hold(true);
    }

    // Writes the next message, whose payload a client masks in place. Returns what the callback has to return.
    int write_next() {
        if (waiting.empty()) return 0;
        written = std::move(waiting.front());
        waiting.pop_front();
        auto const start = reinterpret_cast<unsigned char*>(written->padded.data()) + LWS_PRE;
        if (lws_write(wsi, start, written->padded.size() - LWS_PRE, written->type) < 0) return -1;
        if (waiting.empty() && is_held) hold(false);
        if (!waiting.empty()) lws_callback_on_writable(wsi);
        return 0;
    }

    void hold(bool hold) {
        is_held = hold;
        lws_rx_flow_control(wsi, hold ? 0 : 1);
    }

    lws* wsi = nullptr;
    bool is_complete = true;
    bool is_held = false;
    std::string kept{};
    std::string_view payload{};
    std::deque<std::shared_ptr<Message>> waiting{};
    // With compression, the library may access the payload until the next write.
    std::shared_ptr<Message> written{};
};
