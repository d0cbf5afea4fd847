// Feeds an audience with Boost.Beast: each member has a queue, and writes from it.

#pragma once

#include "cpp/feeding.hpp"

#include <boost/asio/steady_timer.hpp>
#include <chrono>

struct Member {
    virtual ~Member() = default;
    virtual void send(kit::Message message) = 0;
    virtual bool is_ready() const = 0;
    virtual void close() = 0;
};

class Feeding {
public:
    Feeding(boost::asio::io_context& io, std::optional<kit::FeedSettings> const& settings)
        : timer{io},
          audience{settings,
                   {[](auto const& members, auto const& message) {
                        for (auto const member : members) member->send(message);
                    },
                    [](auto const member) { return member->is_ready(); },
                    [](auto const member) { member->close(); },
                    [this](auto wait_ns) { later(std::chrono::nanoseconds{wait_ns}); }}} {}

private:
    void later(std::chrono::nanoseconds wait) {
        timer.expires_after(wait);
        timer.async_wait([this](auto error) {
            if (!error) audience.advance();
        });
    }

    boost::asio::steady_timer timer;

public:
    kit::Audience<Member*> audience;
};
