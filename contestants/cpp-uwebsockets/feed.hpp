// Feeds an audience with uWebSockets: all members subscribe to one topic.

#pragma once

#include "App.h"
#include "cpp/feeding.hpp"

struct Member {};

template <bool IS_TLS>
class Feeding {
public:
    using Socket = uWS::WebSocket<IS_TLS, true, Member>;

    Feeding(uWS::TemplatedApp<IS_TLS>& app, kit::ServerSettings const& settings)
        : audience{settings.feed,
                   {[this, &app, &settings](auto const&, auto const& message) {
                        auto const opcode = audience.is_text() ? uWS::TEXT : uWS::BINARY;
                        app.publish(topic, *message, opcode, settings.deflate);
                    },
                    [](auto* socket) { return socket->getBufferedAmount() < buffered_max; },
                    [](auto* socket) { socket->end(1000); },
                    [this](auto wait_ns) { later(wait_ns); }}} {
        *static_cast<Feeding**>(us_timer_ext(timer)) = this;
    }

    void join(Socket* socket) {
        socket->subscribe(topic);
        audience.join(socket);
    }

    kit::Audience<Socket*> audience;

private:
    static constexpr auto topic = "feed";
    // A continuous feed waits for a member for which more is kept: the library's own limit.
    static constexpr unsigned buffered_max = 64 * 1024;

    // The loop's timers are in milliseconds, and one of none is no timer.
    void later(std::uint64_t wait_ns) {
        if (wait_ns == 0) return uWS::Loop::get()->defer([this] { audience.advance(); });
        auto const wait_ms = static_cast<int>((wait_ns + 999'999) / 1'000'000);
        us_timer_set(timer, [](us_timer_t* timer) {
            (*static_cast<Feeding**>(us_timer_ext(timer)))->audience.advance();
        }, wait_ms, 0);
    }

    us_timer_t* timer =
        us_create_timer(reinterpret_cast<us_loop_t*>(uWS::Loop::get()), 0, sizeof(Feeding*));
};
