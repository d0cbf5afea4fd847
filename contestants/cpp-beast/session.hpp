// A connection of the server, as in the library's asynchronous server examples. A subscriber has a queue, as in the
// example of a chat, because the library allows only one write at a time.

#pragma once

#include "cpp/server.hpp"
#include "transport.hpp"

#include <deque>
#include <memory>
#include <set>

struct Message {
    std::string payload;
    bool is_text;
};

template <typename Transport>
class Session : public std::enable_shared_from_this<Session<Transport>> {
public:
    using Subscribers = std::set<Session*>;

    template <typename... Tls>
    Session(Subscribers& subscribers, tcp::socket socket, Tls&... tls)
        : subscribers{subscribers}, stream{std::move(socket), tls...} {}

    void start(bool grants_deflate) {
        websocket::permessage_deflate deflate;
        deflate.server_enable = grants_deflate;
        stream.set_option(deflate);
        start_tls(stream, net::ssl::stream_base::server, [this, self = this->shared_from_this()](Error error) {
            if (!error) read_request();
        });
    }

private:
    void read_request() {
        auto const on_request = [this, self = this->shared_from_this()](Error error, std::size_t) {
            auto const path = request.target();
            role = kit::role_of({path.data(), path.size()});
            // Without a role, the connection ends, because nothing keeps it.
            if (!error && role) accept();
        };
        http::async_read(stream.next_layer(), buffer, request, on_request);
    }

    void accept() {
        stream.async_accept(request, [this, self = this->shared_from_this()](Error error) {
            if (error) return;
            if (role == kit::Role::subscriber) subscribers.insert(this);
            read();
        });
    }

    void read() {
        buffer.clear();
        stream.async_read(buffer, [this, self = this->shared_from_this()](Error error, std::size_t) {
            if (error) return void(subscribers.erase(this));
            if (role == kit::Role::echo) return echo();
            if (role == kit::Role::publisher) publish();
            read();
        });
    }

    void echo() {
        stream.text(stream.got_text());
        stream.async_write(buffer.data(), [this, self = this->shared_from_this()](Error error, std::size_t) {
            if (!error) read();
        });
    }

    void publish() {
        auto const payload = beast::buffers_to_string(buffer.data());
        auto const message = std::make_shared<Message const>(Message{payload, stream.got_text()});
        for (auto const subscriber : subscribers) subscriber->send(message);
    }

    void send(std::shared_ptr<Message const> const& message) {
        waiting.push_back(message);
        if (waiting.size() == 1) write();
    }

    void write() {
        auto const& message = *waiting.front();
        stream.text(message.is_text);
        auto const written = [this, self = this->shared_from_this()](Error error, std::size_t) {
            if (error) return;
            waiting.pop_front();
            if (!waiting.empty()) write();
        };
        stream.async_write(net::buffer(message.payload), written);
    }

    Subscribers& subscribers;
    websocket::stream<Transport> stream;
    beast::flat_buffer buffer{};
    http::request<http::empty_body> request{};
    std::optional<kit::Role> role{};
    std::deque<std::shared_ptr<Message const>> waiting{};
};
