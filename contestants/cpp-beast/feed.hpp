// Sends a feed with Boost.Beast: each subscriber writes from its own queue.

#pragma once

#include "cpp/feeding.hpp"

#include <boost/asio/steady_timer.hpp>
#include <chrono>

struct Subscriber {
    virtual ~Subscriber() = default;
    virtual void send(kit::Message message) = 0;
    virtual bool is_ready() const = 0;
    virtual void close() = 0;
};

class Feeding {
public:
    Feeding(boost::asio::io_context& io, std::optional<kit::FeedSettings> const& settings)
        : timer{io},
          subscribers{settings,
                      {[](auto const& subscribed, auto const& message) {
                           for (auto const subscriber : subscribed) subscriber->send(message);
                       },
                       [](auto const subscriber) { return subscriber->is_ready(); },
                       [](auto const subscriber) { subscriber->close(); },
                       [this](auto wait_ns) { later(std::chrono::nanoseconds{wait_ns}); }}} {}

private:
    void later(std::chrono::nanoseconds wait) {
        timer.expires_after(wait);
        timer.async_wait([this](auto error) {
            if (!error) subscribers.advance();
        });
    }

    boost::asio::steady_timer timer;

public:
    kit::Subscribers<Subscriber*> subscribers;
};
