// Sends a feed with WebSocket++, which buffers what a subscriber has not read yet.

#pragma once

#include "cpp/feeding.hpp"

#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <websocketpp/server.hpp>

template <typename Config>
class Feeding {
public:
    using Endpoint = websocketpp::server<Config>;
    using Subscriber = typename Endpoint::connection_ptr;

    Feeding(Endpoint& endpoint, std::optional<kit::FeedSettings> const& settings)
        : timer{endpoint.get_io_service()},
          subscribers{settings,
                      {[this](auto const& subscribed, auto const& message) {
                           namespace opcode = websocketpp::frame::opcode;
                           auto const type = subscribers.is_text() ? opcode::text : opcode::binary;
                           for (auto const& subscriber : subscribed) subscriber->send(*message, type);
                       },
                       [this](auto const& subscriber) { return is_ready(subscriber); },
                       [](auto const& subscriber) {
                           websocketpp::lib::error_code error;
                           subscriber->close(websocketpp::close::status::normal, "", error);
                       },
                       [this](auto wait_ns) {
                           later(std::chrono::nanoseconds{wait_ns}, [this] { subscribers.advance(); });
                       }}} {}

private:
    static constexpr std::size_t buffered_max = 64 * 1024;

    // Nothing tells when a subscriber has taken what is kept for it: it is asked again.
    bool is_ready(Subscriber const& subscriber) {
        if (subscriber->get_buffered_amount() < buffered_max) return true;
        later(std::chrono::milliseconds{1}, [this, subscriber] { subscribers.has_room(subscriber); });
        return false;
    }

    template <typename Wait, typename Call>
    void later(Wait wait, Call const& call) {
        timer.expires_after(wait);
        timer.async_wait([call](auto error) {
            if (!error) call();
        });
    }

    boost::asio::steady_timer timer;

public:
    kit::Subscribers<Subscriber> subscribers;
};
