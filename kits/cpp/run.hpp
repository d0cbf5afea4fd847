// The program around a library: what the C++ contestants share. Receiving has blocking calls, on a
// thread for each connection; echoes are exchanged on all connections in one call.

#pragma once

#include "exchanger.hpp"
#include "receiver.hpp"
#include "settings.hpp"

#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

namespace kit {

// Calls receive for each connection, on a thread of its own, and prints the result. The first
// exception ends the program.
inline void run_on_threads(void (*receive)(Receiver&)) {
    auto& receiver = receiver_from_environment();
    std::vector<std::thread> threads;
    for (std::uint64_t i = 0; i < receiver.connections(); ++i) {
        threads.emplace_back([&receiver, receive] {
            try {
                receive(receiver);
            } catch (std::exception const& error) {
                fail(1, error.what());
            }
        });
    }
    for (auto& thread : threads) thread.join();
    receiver.print_result();
}

// Calls echo, which opens and closes all connections, and prints the result. An exception ends the
// program.
inline void run_exchange(void (*echo)(Exchanger&)) {
    Exchanger exchanger{exchanger_from_environment()};
    try {
        echo(exchanger);
    } catch (std::exception const& error) {
        fail(1, error.what());
    }
    exchanger.print_result();
}

// Does the workload that the environment asks for.
inline int run(void (*receive)(Receiver&), void (*echo)(Exchanger&)) {
    auto const workload =
        read_or_fail([](auto const& environment) { return environment.workload(); });
    if (workload == Workload::echo) {
        run_exchange(echo);
    } else {
        run_on_threads(receive);
    }
    return 0;
}

}  // namespace kit
