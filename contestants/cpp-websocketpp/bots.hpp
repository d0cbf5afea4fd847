// Bots with WebSocket++: a timer of its endpoint's loop tells when it is time to send.

#pragma once

#include "connecting.hpp"
#include "cpp/bots.hpp"

#include <boost/asio/steady_timer.hpp>
#include <chrono>

// The endpoint's own timers count milliseconds: too coarse for a schedule in nanoseconds.
inline void play(kit::Bots& bots, boost::asio::steady_timer& timer) {
    if (auto const wait_ns = bots.play()) {
        timer.expires_after(std::chrono::nanoseconds{*wait_ns});
        timer.async_wait([&](auto error) {
            if (!error) play(bots, timer);
        });
    }
}

inline void send_when_due(kit::Bots& bots) {
    struct Talk {
        kit::Bot* bot = nullptr;
    };
    Client client;
    prepare(client);
    boost::asio::steady_timer timer{client.get_io_service()};
    std::uint64_t closed = 0;
    auto const set_handlers = [&](Connection& connection, Talk& talk) {
        connection.set_open_handler([&](Handle) {
            auto const send = [&](std::string const& event) {
                connection.send(event, websocketpp::frame::opcode::text);
            };
            talk.bot = &bots.opened(send, [&] { close_normally(connection); });
            if (bots.have_begun()) play(bots, timer);
        });
        connection.set_message_handler([&](Handle, Client::message_ptr message) {
            talk.bot->answered(message->get_payload(), is_text(message));
        });
        connection.set_close_handler([&](Handle) {
            if (!talk.bot->is_over()) kit::fail(1, "the server has ended the connection");
            if (++closed == bots.connections()) timer.cancel();
        });
    };
    run_all<Talk>(client, bots.url(), bots.connections(), set_handlers);
}
