// Feeds an audience with WebSocket++: it sends to each member, and keeps what one does not take.

#pragma once

#include "cpp/feeding.hpp"

#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <websocketpp/server.hpp>

template <typename Config>
class Feeding {
public:
    using Endpoint = websocketpp::server<Config>;
    using Member = typename Endpoint::connection_ptr;

    Feeding(Endpoint& endpoint, std::optional<kit::FeedSettings> const& settings)
        : timer{endpoint.get_io_service()},
          audience{settings,
                   {[this](auto const& members, auto const& message) {
                        namespace opcode = websocketpp::frame::opcode;
                        auto const type = audience.is_text() ? opcode::text : opcode::binary;
                        for (auto const& member : members) member->send(*message, type);
                    },
                    [this](auto const& member) { return is_ready(member); },
                    [](auto const& member) {
                        websocketpp::lib::error_code error;
                        member->close(websocketpp::close::status::normal, "", error);
                    },
                    [this](auto wait_ns) {
                        later(std::chrono::nanoseconds{wait_ns}, [this] { audience.advance(); });
                    }}} {}

private:
    static constexpr std::size_t buffered_max = 64 * 1024;

    // Nothing tells when a member has taken what is kept for it: it is asked again.
    bool is_ready(Member const& member) {
        if (member->get_buffered_amount() < buffered_max) return true;
        later(std::chrono::milliseconds{1}, [this, member] { audience.has_room(member); });
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
    kit::Audience<Member> audience;
};
