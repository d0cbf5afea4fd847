// Exchanges echoes with Boost.Beast, as its asynchronous client example: connect, handshake, write
// and read for each message, close. All connections share one io_context and its thread.

#pragma once

#include "connection.hpp"
#include "cpp/exchanger.hpp"

#include <deque>

struct Exchange : Connection {
    Exchange(boost::asio::io_context& io, kit::Exchanger& exchanger)
        : Connection{io}, exchanger{exchanger} {}

    void start(Endpoints const& endpoints) {
        open(exchanger.url(), endpoints, [this] {
            exchange = &exchanger.opened();
            write();
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
        if (exchange->answered(view(buffer), stream.got_text())) return write();
        // The server's answer to the close does not matter.
        stream.async_close(boost::beast::websocket::close_code::normal, [](auto) {});
    }

    kit::Exchanger& exchanger;
    kit::Exchange* exchange = nullptr;
};

inline void exchange(kit::Exchanger& exchanger) {
    boost::asio::io_context io;
    auto const endpoints = resolve(io, exchanger.url());
    std::deque<Exchange> exchanges;
    for (std::uint64_t i = 0; i < exchanger.connections(); ++i) {
        exchanges.emplace_back(io, exchanger).start(endpoints);
    }
    io.run();
}
