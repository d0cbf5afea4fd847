// Sends a feed with uWebSockets: all subscribers subscribe to one topic.

#pragma once

#include "App.h"
#include "cpp/feeding.hpp"

struct Subscriber {};

template <bool IS_TLS>
class Feeding {
public:
    using Socket = uWS::WebSocket<IS_TLS, true, Subscriber>;

    Feeding(uWS::TemplatedApp<IS_TLS>& app, kit::ServerSettings const& settings)
        : subscribers{settings.feed,
                      {[this, &app, &settings](auto const&, auto const& message) {
                           auto const opcode = subscribers.is_text() ? uWS::TEXT : uWS::BINARY;
                           app.publish(topic, *message, opcode, settings.deflate);
                       },
                       [](auto* socket) { return socket->getBufferedAmount() < buffered_max; },
                       [](auto* socket) { socket->end(1000); },
                       [this](auto wait_ns) { later(wait_ns); }}} {
        *static_cast<Feeding**>(us_timer_ext(timer)) = this;
    }

    void join(Socket* socket) {
        socket->subscribe(topic);
        subscribers.join(socket);
    }

    kit::Subscribers<Socket*> subscribers;

private:
    static constexpr auto topic = "feed";
    // A continuous feed waits for a subscriber with more buffered bytes than this, the library's
    // limit.
    static constexpr unsigned buffered_max = 64 * 1024;

    // The loop's timers have a resolution of milliseconds, and 0 ms disables a timer.
    void later(std::uint64_t wait_ns) {
        if (wait_ns == 0) return uWS::Loop::get()->defer([this] { subscribers.advance(); });
        auto const wait_ms = static_cast<int>((wait_ns + 999'999) / 1'000'000);
        us_timer_set(timer, [](us_timer_t* timer) {
            (*static_cast<Feeding**>(us_timer_ext(timer)))->subscribers.advance();
        }, wait_ms, 0);
    }

    us_timer_t* timer =
        us_create_timer(reinterpret_cast<us_loop_t*>(uWS::Loop::get()), 0, sizeof(Feeding*));
};
