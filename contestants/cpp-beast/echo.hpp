// Exchanges echoes with Boost.Beast, as its asynchronous client example does: connect, handshake,
// write and read for each message, close. All connections share one io_context and its thread.

#pragma once

#include "exchanger.hpp"
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/websocket.hpp>
#include <deque>

inline void check(boost::beast::error_code error) {
    if (error) throw boost::beast::system_error{error};
}

struct Exchange {
    void connect(boost::asio::ip::tcp::resolver::results_type const& endpoints) {
        stream.next_layer().async_connect(endpoints, [this](auto error, auto&&) {
            check(error);
            auto const& url = exchanger.url();
            stream.async_handshake(url.authority, url.target, [this](auto error) {
                check(error);
                exchanger.opened();
                write();
            });
        });
    }

    void write() {
        stream.async_write(boost::asio::buffer(exchanger.payload()), [this](auto error, auto) {
            check(error);
            buffer.clear();
            stream.async_read(buffer, [this](auto error, auto) { read(error); });
        });
    }

    void read(boost::beast::error_code error) {
        check(error);
        std::string_view const answer{static_cast<char const*>(buffer.cdata().data()), buffer.size()};
        if (exchanger.answered(stream.got_text(), answer)) return write();
        // How the server answers the close does not matter.
        stream.async_close(boost::beast::websocket::close_code::normal, [](auto) {});
    }

    kit::Exchanger& exchanger;
    boost::beast::websocket::stream<boost::beast::tcp_stream> stream;
    boost::beast::flat_buffer buffer{};
};

inline void echo(kit::Exchanger& exchanger) {
    boost::asio::io_context io;
    boost::asio::ip::tcp::resolver resolver{io};
    auto const endpoints = resolver.resolve(exchanger.url().host, exchanger.url().port);
    std::deque<Exchange> exchanges;
    for (std::uint64_t i = 0; i < exchanger.connections(); ++i) {
        exchanges.emplace_back(Exchange{exchanger, decltype(Exchange::stream){io}});
        exchanges.back().connect(endpoints);
    }
    io.run();
}
