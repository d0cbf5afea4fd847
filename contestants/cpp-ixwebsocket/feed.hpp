// Sends a feed on its own thread; the library's threads report which subscribers join and leave.

#pragma once

#include "subscriber.hpp"

#include <chrono>

class Feeding {
public:
    explicit Feeding(std::optional<kit::FeedSettings> const& settings)
        : subscribers{settings,
                      {[](auto const& subscribed, auto const& message) {
                           for (auto const& subscriber : subscribed) subscriber->send(message);
                       },
                       [](auto const& subscriber) { return subscriber->is_ready(); },
                       [](auto const& subscriber) { subscriber->send(nullptr); },
                       [this](auto wait_ns) { due = Clock::now() + Wait{wait_ns}; }}} {}

    void join(std::shared_ptr<Subscriber> const& subscriber) {
        subscriber->start([this, subscriber] { post([=] { subscribers.has_room(subscriber); }); });
        post([=] { subscribers.join(subscriber); });
    }

    void leave(std::shared_ptr<Subscriber> const& subscriber) {
        post([=] { subscribers.leave(subscriber); });
        subscriber->send(nullptr);
    }

    bool is_text() const { return subscribers.is_text(); }

    // Runs queued functions, and advances the feed when it is due.
    [[noreturn]] void run() {
        for (std::unique_lock guard{lock};;) {
            changed.wait_until(guard, due, [this] { return !queued.empty(); });
            auto const tasks = std::exchange(queued, {});
            guard.unlock();
            for (auto const& each : tasks) each();
            bool const is_due = Clock::now() >= due;
            if (is_due) due = Clock::time_point::max();
            if (is_due) subscribers.advance();
            guard.lock();
        }
    }

private:
    using Clock = std::chrono::steady_clock;
    using Wait = std::chrono::nanoseconds;
    void post(std::function<void()> task) {
        std::lock_guard const guard{lock};
        queued.push_back(std::move(task));
        changed.notify_one();
    }

    kit::Subscribers<std::shared_ptr<Subscriber>> subscribers;
    Clock::time_point due = Clock::time_point::max();
    std::mutex lock{};
    std::condition_variable changed{};
    std::deque<std::function<void()>> queued{};
};
