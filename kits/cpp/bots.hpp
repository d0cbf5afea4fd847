// Bots: connections that send when it is due. docs/contract.md, section 6.

#pragma once

#include "clock.hpp"
#include "latency.hpp"
#include "settings.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <functional>
#include <iostream>
#include <mutex>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

namespace kit {

// Returns when an event is due.
inline std::uint64_t due_ns(std::uint64_t start_ns, std::uint64_t every_ns,
                            std::uint64_t connection, std::uint64_t connections,
                            std::uint64_t event) {
    return start_ns + connection * every_ns / connections + event * every_ns;
}

// Returns the text of an event.
inline std::string stamp(std::uint64_t event, std::uint64_t due_ns, std::string_view payload) {
    char head[43];
    std::snprintf(head, sizeof head, "%020llu %020llu ", static_cast<unsigned long long>(event),
                  static_cast<unsigned long long>(due_ns));
    return head + std::string{payload};
}

class Bots;

// One connection's events. Its sender and its receiver may be two threads.
class Bot {
public:
    using Send = std::function<void(std::string event)>;
    using Close = std::function<void()>;

    Bot(Bots& bots, std::uint64_t connection, Send send, Close close)
        : bots_{bots}, connection_{connection}, send_{std::move(send)}, close_{std::move(close)} {}

    // Judges an answer; it may be the last, and then the connection is closed.
    void answered(std::string_view answer, bool is_text);

    // Whether its closing has begun.
    bool is_over() const {
        std::lock_guard const guard{lock_};
        return is_over_;
    }

private:
    friend class Bots;

    std::uint64_t due_ns(std::uint64_t event) const;
    void send_next();
    void judge(std::string_view answer, bool is_text);
    bool is_all_answered() const;
    void end();

    Bots& bots_;
    std::uint64_t const connection_;
    Send const send_;
    Close const close_;
    std::mutex mutable lock_;
    Latencies latencies_;
    std::uint64_t sent_ = 0;
    std::uint64_t sent_in_window_ = 0;
    std::uint64_t wrong_ = 0;
    // The number of the first event that is not answered.
    std::uint64_t unanswered_ = 0;
    bool is_over_ = false;
};

// All connections' events, and the client's line.
class Bots {
public:
    Bots(BotSettings settings, Clock clock, std::ostream& output)
        : settings_{std::move(settings)}, clock_{std::move(clock)}, output_{output} {}

    // Makes the bots that the environment asks for, or ends the program. They are never
    // destroyed, because a library's threads may use them until the program ends.
    static Bots& from_environment() {
        return *new Bots{read_or_fail(BotSettings::read), monotonic_ns, std::cout};
    }

    Url const& url() const { return settings_.echo.url; }
    std::uint64_t connections() const { return settings_.echo.connections; }

    // To be called, from any thread, as soon as the library says that a connection is open. Bots
    // call send for each event, and close in the end.
    Bot& opened(Bot::Send send, Bot::Close close) {
        std::lock_guard const guard{lock_};
        auto& bot = bots_.emplace_back(*this, bots_.size(), std::move(send), std::move(close));
        if (bots_.size() == connections()) start_ns_ = clock_();
        changed_.notify_all();
        return bot;
    }

    // Whether all connections are open: then it is time to play.
    bool have_begun() const { return start_ns_ > 0; }

    // Sends what is due, and closes what is over. Returns the nanoseconds until it is to be called
    // again; nothing, when all are over.
    std::optional<std::uint64_t> play() {
        auto const now_ns = clock_();
        for (int turn = 0; turn < turn_events; ++turn) {
            // All have the same interval: they are due in turn.
            auto& bot = bots_[next_ % bots_.size()];
            auto const due_ns = bot.due_ns(next_ / bots_.size());
            if (due_ns >= end_ns()) return drain(now_ns);
            if (due_ns > now_ns) return due_ns - now_ns;
            ++next_;
            bot.send_next();
        }
        return 0;
    }

    // Plays on this thread, until all are over. For libraries that have threads of their own.
    void play_to_the_end() {
        std::unique_lock lock{lock_};
        changed_.wait(lock, [this] { return start_ns_ > 0; });
        lock.unlock();
        while (auto const wait_ns = play()) {
            lock.lock();
            changed_.wait_for(lock, std::chrono::nanoseconds{*wait_ns},
                              [this] { return over_ == bots_.size(); });
            lock.unlock();
        }
    }

    // To be called last, when all connections are closed.
    void finish() {
        Latencies latencies;
        std::uint64_t sent = 0;
        std::uint64_t wrong = 0;
        for (auto const& bot : bots_) {
            latencies.merge(bot.latencies_);
            sent += bot.sent_in_window_;
            wrong += bot.wrong_;
        }
        output_ << R"({"event":"result","connections":)" << bots_.size()    //
                << R"(,"sent":)" << sent                                    //
                << R"(,"echoed":)" << latencies.count()                     //
                << R"(,"wrong":)" << wrong                                  //
                << R"(,"window_ns":)" << settings_.echo.window_ns           //
                << R"(,"response_time_ns":)" << latencies << '}' << std::endl;
        if (!output_) fail(1, "cannot write to stdout");
    }

private:
    friend class Bot;

    // After so many events, answers get a turn.
    static constexpr int turn_events = 64;

    std::uint64_t window_ns() const { return start_ns_ + settings_.echo.warm_up_ns; }
    std::uint64_t end_ns() const { return window_ns() + settings_.echo.window_ns; }

    std::optional<std::uint64_t> drain(std::uint64_t now_ns) {
        auto const drained_ns = end_ns() + settings_.drain_ns;
        for (auto& bot : bots_) {
            if (now_ns >= drained_ns || bot.is_all_answered()) bot.end();
        }
        std::lock_guard const guard{lock_};
        if (over_ == bots_.size()) return std::nullopt;
        return drained_ns - now_ns;
    }

    BotSettings const settings_;
    Clock const clock_;
    std::ostream& output_;
    std::mutex mutable lock_;
    std::condition_variable changed_;
    std::deque<Bot> bots_;
    // How many events have been sent on all connections.
    std::uint64_t next_ = 0;
    std::uint64_t over_ = 0;
    // When all connections were open; zero until then.
    std::atomic<std::uint64_t> start_ns_{0};
};

// ---- What a bot asks its bots ------------------------------------------------------------------

inline std::uint64_t Bot::due_ns(std::uint64_t event) const {
    return kit::due_ns(bots_.start_ns_, bots_.settings_.every_ns, connection_, bots_.connections(),
                       event);
}

inline void Bot::send_next() {
    std::unique_lock lock{lock_};
    auto const event = sent_++;
    auto const due = due_ns(event);
    if (due >= bots_.window_ns()) ++sent_in_window_;
    lock.unlock();
    send_(stamp(event, due, bots_.settings_.echo.payload));
}

inline void Bot::answered(std::string_view answer, bool is_text) {
    judge(answer, is_text);
    if (is_all_answered()) end();
}

inline void Bot::judge(std::string_view answer, bool is_text) {
    auto const now_ns = bots_.clock_();
    std::lock_guard const guard{lock_};
    auto const event = is_text ? parse_number(answer.substr(0, 20)) : std::nullopt;
    bool const is_expected = event && *event >= unanswered_ && *event < sent_;
    if (!is_expected ||
        answer != stamp(*event, due_ns(*event), bots_.settings_.echo.payload)) {
        ++wrong_;
        return;
    }
    unanswered_ = *event + 1;
    auto const due = due_ns(*event);
    if (due >= bots_.window_ns()) latencies_.record(now_ns - due);
}

// Whether all of its events are sent, and the last is answered.
inline bool Bot::is_all_answered() const {
    std::lock_guard const guard{lock_};
    return unanswered_ == sent_ && due_ns(sent_) >= bots_.end_ns();
}

inline void Bot::end() {
    {
        std::lock_guard const guard{lock_};
        if (std::exchange(is_over_, true)) return;
    }
    close_();
    std::lock_guard const guard{bots_.lock_};
    ++bots_.over_;
    bots_.changed_.notify_all();
}

}  // namespace kit
