// A connection of the server with Boost.Beast: it echoes, or is a subscriber.

#pragma once

#include "subscriber.hpp"
#include <boost/beast/http.hpp>

namespace http = beast::http;

template <typename Transport>
class Session : public QueueingSubscriber<Transport> {
    using QueueingSubscriber<Transport>::shared;
    using QueueingSubscriber<Transport>::stream;

public:
    using QueueingSubscriber<Transport>::QueueingSubscriber;

    void start() {
        if constexpr (std::is_same_v<Transport, beast::tcp_stream>) {
            read_request();
        } else {
            auto const begun = [this, self = this->shared_from_this()](auto error) {
                if (!error) read_request();
            };
            stream.next_layer().async_handshake(net::ssl::stream_base::server, begun);
        }
    }

private:
    void read_request() {
        auto const on_request = [this, self = this->shared_from_this()](auto error, auto) {
            if (!error) accept();
        };
        http::async_read(stream.next_layer(), buffer, request, on_request);
    }

    void accept() {
        websocket::permessage_deflate deflate;
        deflate.server_enable = shared.settings.deflate;
        stream.set_option(deflate);
        auto const accepted = [this, self = this->shared_from_this()](auto error) {
            if (error) return;
            is_subscriber = request.target() == "/feed";
            if (is_subscriber) shared.feeding.subscribers.join(this);
            read();
        };
        stream.async_accept(request, accepted);
    }

    void read() {
        auto const on_message = [this, self = this->shared_from_this()](auto error, auto) {
            if (error) return shared.feeding.subscribers.leave(this);
            is_subscriber ? read() : echo();
        };
        buffer.clear();
        stream.async_read(buffer, on_message);
    }

    void echo() {
        auto const written = [this, self = this->shared_from_this()](auto error, auto) {
            if (!error) read();
        };
        stream.text(stream.got_text());
        stream.async_write(buffer.data(), written);
    }

    beast::flat_buffer buffer{};
    http::request<http::empty_body> request{};
    bool is_subscriber = false;
};
