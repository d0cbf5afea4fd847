// Sends a feed to subscribers on schedule: docs/contract.md, section 8.

#pragma once

#include "clock.hpp"
#include "serving.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace kit {

// One feed for one group of subscribers, from its first message to its last.
class Feed {
public:
    Feed(FeedSettings settings, Clock clock, std::ostream& output)
        : settings_{std::move(settings)},
          clock_{std::move(clock)},
          output_{output},
          start_ns_{clock_()} {}

    // Returns how long to wait, in nanoseconds. 0: a message is due. Nothing: the feed is over or
    // has no subscribers left.
    std::optional<std::uint64_t> wait_ns(std::size_t subscribed) {
        auto const now_ns = clock_();
        print_seconds(now_ns);
        auto const due = due_ns(now_ns);
        bool const is_over = due <= now_ns && !is_left(due);
        if (is_over || subscribed == 0) return std::nullopt;
        auto const until_ns = std::min(due, next_second_ns());
        return until_ns > now_ns ? until_ns - now_ns : 0;
    }

    // Returns the message that is due and counts it once per subscriber.
    std::string next_message(std::size_t subscribed) {
        auto const number = number_++;
        auto const stocks = settings_.stocks_of_message(number);
        auto const time_ns =
            settings_.every_ns ? start_ns_ + number * *settings_.every_ns : clock_();
        auto message = settings_.format.encode(number, time_ns, stocks);
        messages_ += subscribed;
        bytes_ += message.size() * subscribed;
        return message;
    }

    // Prints the result line.
    void finish() {
        output_ << R"({"event":"result","messages":)" << messages_ << R"(,"bytes":)" << bytes_;
        end_line();
    }

private:
    std::uint64_t next_second_ns() const { return start_ns_ + (seconds_ + 1) * second_ns; }

    // Returns when the next message is due. After the last message, this is when the feed ends.
    std::uint64_t due_ns(std::uint64_t now_ns) const {
        return settings_.every_ns ? start_ns_ + number_ * *settings_.every_ns : now_ns;
    }

    bool is_left(std::uint64_t due) const {
        if (settings_.messages && number_ >= *settings_.messages) return false;
        return !settings_.duration_ns || due < start_ns_ + *settings_.duration_ns;
    }

    void print_seconds(std::uint64_t until_ns) {
        while (until_ns >= next_second_ns()) {
            output_ << R"({"event":"second","second":)" << seconds_             //
                    << R"(,"messages":)" << messages_ - printed_messages_       //
                    << R"(,"bytes":)" << bytes_ - printed_bytes_;
            end_line();
            ++seconds_;
            printed_messages_ = messages_;
            printed_bytes_ = bytes_;
        }
    }

    void end_line() {
        if (!(output_ << '}' << std::endl)) fail(1, "cannot write to stdout");
    }

    FeedSettings const settings_;
    Clock const clock_;
    std::ostream& output_;
    std::uint64_t const start_ns_;
    std::uint64_t number_ = 0;
    std::uint64_t messages_ = 0;
    std::uint64_t bytes_ = 0;
    // State at the last printed line.
    std::uint64_t seconds_ = 0;
    std::uint64_t printed_messages_ = 0;
    std::uint64_t printed_bytes_ = 0;
};

// Shared, because a message must live until the last subscriber has sent it.
using Message = std::shared_ptr<std::string const>;

// The subscribers and their feed; serves one group of subscribers after the other. Not thread-safe:
// use it from one thread at a time.
template <typename Subscriber>
class Subscribers {
public:
    using Subscribed = std::vector<Subscriber>;

    // The operations that the library implements.
    struct Library {
        // Sends a message to all subscribers.
        std::function<void(Subscribed const&, Message const&)> publish;
        // Returns whether a continuous feed may continue. If not, call has_room once it may.
        std::function<bool(Subscriber const&)> is_ready;
        std::function<void(Subscriber const&)> close;
        // Calls advance after wait_ns nanoseconds. Replaces an earlier request.
        std::function<void(std::uint64_t wait_ns)> later;
    };

    Subscribers(std::optional<FeedSettings> settings, Library library, Clock clock = monotonic_ns,
             std::ostream& output = std::cout)
        : settings_{std::move(settings)},
          library_{std::move(library)},
          clock_{std::move(clock)},
          output_{output} {}

    // Returns whether the feed's messages are text.
    bool is_text() const { return settings_ && settings_->format.is_text(); }

    // Adds a subscriber; the last expected one starts the feed. Without a feed, closes the
    // connection.
    void join(Subscriber subscriber) {
        if (!settings_) return library_.close(subscriber);
        subscribed_.insert(std::move(subscriber));
        if (!feed_ && subscribed_.size() == settings_->subscribers) {
            feed_.emplace(*settings_, clock_, output_);
            advance();
        }
    }

    // Call this when any connection is gone, whether it was a subscriber or not.
    void leave(Subscriber const& subscriber) {
        if (subscribed_.erase(subscriber) > 0 && (waits_for_ == subscriber || subscribed_.empty())) advance();
    }

    // Call this when a subscriber is ready again.
    void has_room(Subscriber const& subscriber) {
        if (waits_for_ == subscriber) advance();
    }

    // Sends the messages that are due.
    void advance() {
        if (!feed_ || is_advancing_) return;
        is_advancing_ = true;
        waits_for_.reset();
        auto const wait_ns = publish_due();
        is_advancing_ = false;
        if (wait_ns) library_.later(*wait_ns);
    }

private:
    // Number of messages after which the event loop runs other work.
    static constexpr int turn_messages = 64;

    // Returns how long to wait before continuing, in nanoseconds; nothing while waiting for a
    // subscriber or for the next group of subscribers.
    std::optional<std::uint64_t> publish_due() {
        for (int turn = 0; turn < turn_messages; ++turn) {
            auto const wait_ns = feed_->wait_ns(subscribed_.size());
            if (!wait_ns) return end();
            if (*wait_ns > 0) return wait_ns;
            if (!settings_->every_ns && has_to_wait()) return std::nullopt;
            auto const message =
                std::make_shared<std::string const>(feed_->next_message(subscribed_.size()));
            // A copy, because sending may reveal that a subscriber has left.
            library_.publish(Subscribed{subscribed_.begin(), subscribed_.end()}, message);
        }
        return 0;
    }

    // Finds a subscriber that is not ready, starting with the last: when it is ready, the others
    // usually are too.
    bool has_to_wait() {
        auto const busy = std::find_if_not(subscribed_.rbegin(), subscribed_.rend(), library_.is_ready);
        if (busy != subscribed_.rend()) waits_for_ = *busy;
        return waits_for_.has_value();
    }

    std::nullopt_t end() {
        feed_->finish();
        feed_.reset();
        for (auto const& subscriber : std::exchange(subscribed_, {})) library_.close(subscriber);
        return std::nullopt;
    }

    std::optional<FeedSettings> const settings_;
    Library const library_;
    Clock const clock_;
    std::ostream& output_;
    std::set<Subscriber> subscribed_;
    std::optional<Feed> feed_;
    bool is_advancing_ = false;
    // The subscriber that a continuous feed waits for.
    std::optional<Subscriber> waits_for_;
};

}  // namespace kit
