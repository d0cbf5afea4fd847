// The main function of a client, shared by the C and C++ contestants.

#pragma once

#include "exchanger.hpp"
#include "receiver.hpp"
#include "settings.hpp"

#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

namespace kit {

// Calls work once per connection, each on its own thread, and waits for all of them. For libraries
// with blocking calls. The first exception ends the program.
template <typename Counting>
void call_on_threads(void (*work)(Counting&), Counting& counting) {
    std::vector<std::thread> threads;
    for (std::uint64_t i = 0; i < counting.connections(); ++i) {
        threads.emplace_back([&counting, work] {
            try {
                work(counting);
            } catch (std::exception const& error) {
                fail(1, error.what());
            }
        });
    }
    for (auto& thread : threads) thread.join();
}

// Calls work, which opens and closes all connections, and prints the result. An exception ends the
// program.
template <typename Counting>
void work_or_fail(void (*work)(Counting&)) {
    auto& counting = Counting::from_environment();
    try {
        work(counting);
    } catch (std::exception const& error) {
        fail(1, error.what());
    }
    counting.finish();
}

// Runs the workload that the environment variables ask for.
inline int run(void (*receive)(Receiver&), void (*exchange)(Exchanger&)) {
    switch (read_or_fail(read_workload)) {
        case Workload::receive:
            work_or_fail(receive);
            break;
        case Workload::echo:
            work_or_fail(exchange);
            break;
    }
    return 0;
}

}  // namespace kit
