// Subscribers with a sending thread each, because a server's send blocks until the peer has taken the message.

#pragma once

#include <condition_variable>
#include <deque>
#include <ixwebsocket/IXWebSocket.h>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>

struct Message {
    std::string payload;
    bool is_binary;
};

class Subscriber {
public:
    explicit Subscriber(std::shared_ptr<ix::WebSocket> socket) : socket{std::move(socket)} {}

    // Sends queued messages until there is a null message.
    void run() {
        while (auto const message = next()) socket->send(message->payload, message->is_binary);
    }

    void send(std::shared_ptr<Message const> message) {
        std::lock_guard const guard{lock};
        waiting.push_back(std::move(message));
        changed.notify_one();
    }

private:
    std::shared_ptr<Message const> next() {
        std::unique_lock guard{lock};
        changed.wait(guard, [this] { return !waiting.empty(); });
        auto message = std::move(waiting.front());
        waiting.pop_front();
        return message;
    }

    std::shared_ptr<ix::WebSocket> const socket;
    std::mutex lock{};
    std::condition_variable changed{};
    std::deque<std::shared_ptr<Message const>> waiting{};
};

// The library calls from the threads of its connections.
class Subscribers {
public:
    std::shared_ptr<Subscriber> join(std::shared_ptr<ix::WebSocket> socket) {
        auto const subscriber = std::make_shared<Subscriber>(std::move(socket));
        std::thread{[subscriber] { subscriber->run(); }}.detach();
        std::lock_guard const guard{lock};
        subscribed.insert(subscriber);
        return subscriber;
    }

    void leave(std::shared_ptr<Subscriber> const& subscriber) {
        subscriber->send(nullptr);
        std::lock_guard const guard{lock};
        subscribed.erase(subscriber);
    }

    void publish(Message const& published) {
        auto const message = std::make_shared<Message const>(published);
        std::lock_guard const guard{lock};
        for (auto const& subscriber : subscribed) subscriber->send(message);
    }

private:
    std::mutex lock{};
    std::set<std::shared_ptr<Subscriber>> subscribed{};
};
