// A connection of Boost.Beast's asynchronous client: connect, handshake, and the last message.

#pragma once

#include "cpp/settings.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/websocket.hpp>
#include <string_view>

inline void check(boost::beast::error_code error) {
    if (error) throw boost::beast::system_error{error};
}

inline std::string_view view(boost::beast::flat_buffer const& buffer) {
    return {static_cast<char const*>(buffer.cdata().data()), buffer.size()};
}

struct Connection {
    using Endpoints = boost::asio::ip::tcp::resolver::results_type;

    explicit Connection(boost::asio::io_context& io) : stream{io} {}

    template <typename Opened>
    void open(kit::Url const& url, Endpoints const& endpoints, Opened const& opened) {
        stream.next_layer().async_connect(endpoints, [this, &url, opened](auto error, auto&&) {
            check(error);
            stream.async_handshake(url.authority, url.target, [opened](auto error) {
                check(error);
                opened();
            });
        });
    }

    boost::beast::websocket::stream<boost::beast::tcp_stream> stream;
    boost::beast::flat_buffer buffer{};
};

inline Connection::Endpoints resolve(boost::asio::io_context& io, kit::Url const& url) {
    return boost::asio::ip::tcp::resolver{io}.resolve(url.host, url.port);
}
