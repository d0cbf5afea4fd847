// Sends a feed to subscribers on a thread of its own: the library's threads tell it who comes and goes.

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
        subscriber->start([this, subscriber] { tell([=] { subscribers.has_room(subscriber); }); });
        tell([=] { subscribers.join(subscriber); });
    }

    void leave(std::shared_ptr<Subscriber> const& subscriber) {
        tell([=] { subscribers.leave(subscriber); });
        subscriber->send(nullptr);
    }

    bool is_text() const { return subscribers.is_text(); }

    // Runs what is queued, and what is due.
    [[noreturn]] void run() {
        for (std::unique_lock guard{lock};;) {
            changed.wait_until(guard, due, [this] { return !queued.empty(); });
            auto const taken = std::exchange(queued, {});
            guard.unlock();
            for (auto const& each : taken) each();
            bool const is_due = Clock::now() >= due;
            if (is_due) due = Clock::time_point::max();
            if (is_due) subscribers.advance();
            guard.lock();
        }
    }

private:
    using Clock = std::chrono::steady_clock;
    using Wait = std::chrono::nanoseconds;
    void tell(std::function<void()> what) {
        std::lock_guard const guard{lock};
        queued.push_back(std::move(what));
        changed.notify_one();
    }

    kit::Subscribers<std::shared_ptr<Subscriber>> subscribers;
    Clock::time_point due = Clock::time_point::max();
    std::mutex lock{};
    std::condition_variable changed{};
    std::deque<std::function<void()>> queued{};
};
