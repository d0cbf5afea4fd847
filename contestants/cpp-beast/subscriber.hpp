// A subscriber with a queue of messages, because Boost.Beast allows only one write at a time.

#pragma once

#include "feed.hpp"
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/ssl.hpp>
#include <boost/beast/websocket.hpp>
#include <boost/beast/websocket/ssl.hpp>
#include <deque>
#include <memory>

namespace beast = boost::beast;
namespace net = boost::asio;
namespace websocket = beast::websocket;

struct Shared {
    kit::ServerSettings const& settings;
    Feeding feeding;
    net::ssl::context tls{net::ssl::context::tls_server};
};

template <typename Transport>
class QueueingSubscriber : public Subscriber,
                       public std::enable_shared_from_this<QueueingSubscriber<Transport>> {
public:
    template <typename... Tls>
    QueueingSubscriber(Shared& shared, net::ip::tcp::socket socket, Tls&... tls)
        : shared{shared}, stream{std::move(socket), tls...} {}

    void send(kit::Message message) override {
        messages.push_back(std::move(message));
        if (messages.size() == 1) write();
    }

    bool is_ready() const override { return messages.empty(); }

    void close() override {
        is_closing = true;
        if (!messages.empty()) return;
        auto const closed = [self = this->shared_from_this()](auto) {};
        stream.async_close(websocket::close_code::normal, closed);
    }

private:
    void write() {
        auto const written = [this, self = this->shared_from_this()](auto error, auto) {
            if (error) return;
            messages.pop_front();
            if (!messages.empty()) return write();
            if (is_closing) return close();
            shared.feeding.subscribers.has_room(this);
        };
        stream.text(shared.feeding.subscribers.is_text());
        stream.async_write(net::buffer(*messages.front()), written);
    }

    bool is_closing = false;
    std::deque<kit::Message> messages{};

protected:
    Shared& shared;
    websocket::stream<Transport> stream;
};
