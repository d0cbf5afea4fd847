// A subscriber with its own sending thread, because IXWebSocket's send blocks until the message is
// written.

#pragma once

#include "cpp/feeding.hpp"

#include <condition_variable>
#include <deque>
#include <functional>
#include <ixwebsocket/IXWebSocket.h>
#include <memory>
#include <mutex>
#include <thread>

class Subscriber : public std::enable_shared_from_this<Subscriber> {
public:
    Subscriber(std::shared_ptr<ix::WebSocket> socket, bool is_text)
        : socket{std::move(socket)}, is_text{is_text} {}

    // Starts the thread. It calls drained when all messages are written, and ends after close.
    void start(std::function<void()> drained) {
        std::thread{[self = shared_from_this(), drained = std::move(drained)] {
            while (auto const message = self->next()) {
                self->socket->send(*message, !self->is_text);
                if (self->is_ready()) drained();
            }
            self->socket->close();
        }}.detach();
    }

    // Queues a message. A null message closes the connection after all others are written.
    void send(kit::Message message) {
        std::lock_guard const guard{lock};
        messages.push_back(std::move(message));
        changed.notify_one();
    }

    bool is_ready() {
        std::lock_guard const guard{lock};
        return messages.empty();
    }

private:
    kit::Message next() {
        std::unique_lock guard{lock};
        changed.wait(guard, [this] { return !messages.empty(); });
        auto message = std::move(messages.front());
        messages.pop_front();
        return message;
    }

    std::shared_ptr<ix::WebSocket> const socket;
    bool const is_text;
    std::mutex lock{};
    std::condition_variable changed{};
    std::deque<kit::Message> messages{};
};
