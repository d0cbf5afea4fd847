// Bots with Boost.Beast: all connections share one io_context, its thread, and a timer.

#pragma once

#include "talk.hpp"

#include <boost/asio/steady_timer.hpp>
#include <deque>

struct Play {
    void start(Talk& talk, Connection::Endpoints const& endpoints) {
        talk.open(bots.url(), endpoints, [this, &talk] {
            talk.bot = &bots.opened([&talk](auto event) { talk.send(std::move(event)); },
                                    [this, &talk] { close(talk); });
            talk.read();
            if (bots.have_begun()) play();
        });
    }

    void play() {
        if (auto const wait_ns = bots.play()) {
            timer.expires_after(std::chrono::nanoseconds{*wait_ns});
            timer.async_wait([this](auto) { play(); });
        }
    }

    void close(Talk& talk) {
        // How the server answers the close does not matter.
        talk.stream.async_close(boost::beast::websocket::close_code::normal, [this](auto) {
            if (++closed == bots.connections()) io.stop();
        });
    }

    boost::asio::io_context& io;
    kit::Bots& bots;
    boost::asio::steady_timer timer{io};
    std::uint64_t closed = 0;
};

inline void send_when_due(kit::Bots& bots) {
    boost::asio::io_context io;
    auto const endpoints = resolve(io, bots.url());
    Play play{io, bots};
    std::deque<Talk> talks;
    for (std::uint64_t i = 0; i < bots.connections(); ++i) {
        play.start(talks.emplace_back(io), endpoints);
    }
    io.run();
}
