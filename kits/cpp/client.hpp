// Counts the messages of a client and prints its result: docs/contract.md, section 3.

#pragma once

#include "variables.hpp"

#include <chrono>
#include <deque>
#include <mutex>
#include <thread>

namespace kit {

// What a client does after a message.
enum class Action {
    proceed,  // receive the next message
    reply,    // send the message back, with the same type
    close,    // start the closing handshake with code 1000
};

// On Linux, std::chrono::steady_clock is CLOCK_MONOTONIC.
inline std::uint64_t monotonic_ns() {
    auto const now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

constexpr auto never = std::numeric_limits<std::uint64_t>::max();

// Counts the messages of one connection. Only one thread at a time may use it. Aligned so that two
// connections never share a cache line.
class alignas(128) Connection {
public:
    // Closes after the last of so many messages; the usual action follows the others.
    Connection(std::uint64_t last, Action usual) : last_{last}, usual_{usual} {}

    // Counts a message, and returns what to do then.
    Action received() { return ++messages_ < last_ ? usual_ : close_once(); }

    std::uint64_t messages() const { return messages_; }

    // The instant of the last message, in nanoseconds; never before it arrives.
    std::uint64_t received_ns() const { return received_ns_; }

private:
    Action close_once() {
        messages_ = last_;
        // The library may deliver more messages while the connection closes.
        if (received_ns_ != never) return Action::proceed;
        received_ns_ = monotonic_ns();
        return Action::close;
    }

    std::uint64_t messages_ = 0;
    std::uint64_t const last_;
    Action const usual_;
    std::uint64_t received_ns_ = never;
};

// The settings of a client, read from the environment, and its connections.
class Client {
public:
    Url const url = read_url();
    std::uint64_t const connections = count("CONNECTIONS", 1);
    bool const deflate = has_deflate();  // whether the library's offer of compression stays on

    // Call this from any thread as soon as the library reports that a connection is open.
    Connection& opened() {
        std::lock_guard const guard{lock_};
        if (opened_.empty()) opened_ns_ = monotonic_ns();
        if (is_replying_) return opened_.emplace_back(never, Action::reply);
        return opened_.emplace_back(messages_, Action::proceed);
    }

    // Call this when all connections have ended.
    void print_result() const {
        std::uint64_t messages = 0;
        std::uint64_t received_ns = 0;
        for (auto const& each : opened_) {
            messages += each.messages();
            received_ns = std::max(received_ns, each.received_ns());
        }
        std::cout << R"({"event":"result","connections":)" << opened_.size() << R"(,"messages":)" << messages
                  << R"(,"opened_ns":)" << opened_ns_ << R"(,"received_ns":)"
                  << std::min(received_ns, monotonic_ns()) << '}' << std::endl;
        if (!std::cout) fail(1, "cannot write to stdout");
    }

private:
    bool const is_replying_ = choice("VERB", {"count", "reply"}) == "reply";
    std::uint64_t const messages_ = count("MESSAGES", never, never);
    std::mutex lock_;
    std::uint64_t opened_ns_ = 0;
    std::deque<Connection> opened_;
};

// Calls work, which opens all connections and returns when they have ended, and prints the result.
// An exception ends the program. Returns the program's status.
template <typename Work>
int run_client(Work const& work) {
    Client client;
    run_or_fail([&] { work(client); });
    client.print_result();
    return 0;
}

// Calls work once per connection, each on its own thread, and waits for all of them. For libraries
// with blocking calls.
template <typename Work>
void run_on_threads(Client& client, Work const& work) {
    std::vector<std::thread> threads;
    for (std::uint64_t i = 0; i < client.connections; ++i) {
        threads.emplace_back([&] { run_or_fail([&] { work(client); }); });
    }
    for (auto& thread : threads) thread.join();
}

}  // namespace kit
