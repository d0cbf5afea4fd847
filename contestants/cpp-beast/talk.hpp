// A connection of bots: it reads all the time, and writes from a queue, because Boost.Beast allows
// one write at a time.

#pragma once

#include "connection.hpp"
#include "cpp/bots.hpp"

#include <deque>

struct Talk : Connection {
    using Connection::Connection;

    void send(std::string event) {
        events.push_back(std::move(event));
        if (events.size() == 1) write();
    }

    void write() {
        stream.async_write(boost::asio::buffer(events.front()), [this](auto error, auto) {
            if (bot->is_over()) return;
            check(error);
            events.pop_front();
            if (!events.empty()) write();
        });
    }

    void read() {
        stream.async_read(buffer, [this](auto error, auto) {
            if (bot->is_over()) return;
            check(error);
            bot->answered(view(buffer), stream.got_text());
            buffer.clear();
            read();
        });
    }

    kit::Bot* bot = nullptr;
    std::deque<std::string> events{};
};
