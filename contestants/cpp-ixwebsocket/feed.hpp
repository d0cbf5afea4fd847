// Feeds an audience on a thread of its own: the library's threads tell it who comes and goes.

#pragma once

#include "member.hpp"

#include <chrono>

class Feeding {
public:
    explicit Feeding(std::optional<kit::FeedSettings> const& settings)
        : audience{settings,
                   {[](auto const& members, auto const& message) {
                        for (auto const& member : members) member->send(message);
                    },
                    [](auto const& member) { return member->is_ready(); },
                    [](auto const& member) { member->send(nullptr); },
                    [this](auto wait_ns) { due = Clock::now() + Wait{wait_ns}; }}} {}

    void join(std::shared_ptr<Member> const& member) {
        member->start([this, member] { tell([=] { audience.has_room(member); }); });
        tell([=] { audience.join(member); });
    }

    void leave(std::shared_ptr<Member> const& member) {
        tell([=] { audience.leave(member); });
        member->send(nullptr);
    }

    bool is_text() const { return audience.is_text(); }

    // Does what it is told, and what is due.
    [[noreturn]] void run() {
        for (std::unique_lock guard{lock};;) {
            changed.wait_until(guard, due, [this] { return !told.empty(); });
            auto const now_told = std::exchange(told, {});
            guard.unlock();
            for (auto const& each : now_told) each();
            bool const is_due = Clock::now() >= due;
            if (is_due) due = Clock::time_point::max();
            if (is_due) audience.advance();
            guard.lock();
        }
    }

private:
    using Clock = std::chrono::steady_clock;
    using Wait = std::chrono::nanoseconds;
    void tell(std::function<void()> what) {
        std::lock_guard const guard{lock};
        told.push_back(std::move(what));
        changed.notify_one();
    }

    kit::Audience<std::shared_ptr<Member>> audience;
    Clock::time_point due = Clock::time_point::max();
    std::mutex lock{};
    std::condition_variable changed{};
    std::deque<std::function<void()>> told{};
};
