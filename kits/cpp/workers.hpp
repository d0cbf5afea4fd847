// Runs a server as several processes that share one port: docs/contract.md, clause 8.10.

#pragma once

#include "variables.hpp"

#include <cstdint>
#include <exception>
#include <vector>

#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kit {

// Lets the kernel distribute the connections of a port among the sockets that listen on it.
inline void share_port(int socket) {
    int const yes = 1;
    if (setsockopt(socket, SOL_SOCKET, SO_REUSEPORT, &yes, sizeof yes) != 0) {
        fail(1, "cannot share a port");
    }
}

// Calls serve, which returns only on failure.
template <typename Serve>
[[noreturn]] void serve_or_fail(Serve const& serve) {
    try {
        serve();
    } catch (std::exception const& error) {
        fail(1, error.what());
    }
    fail(1, "the server has ended");
}

// Calls serve in this process or, with several workers, once in each child process.
template <typename Serve>
[[noreturn]] void run_workers(std::uint64_t workers, Serve const& serve) {
    if (workers == 1) serve_or_fail(serve);
    sigset_t ends;
    sigset_t before;
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ends, &before);
    std::vector<pid_t> children;
    for (std::uint64_t worker = 0; worker < workers; ++worker) {
        auto const child = fork();
        if (child == 0) {
            sigprocmask(SIG_SETMASK, &before, nullptr);
            serve_or_fail(serve);
        }
        if (child > 0) children.push_back(child);
    }
    int end = 0;
    sigwait(&ends, &end);
    for (auto const child : children) kill(child, SIGKILL);
    for (auto const child : children) waitpid(child, nullptr, 0);
    fail(1, end == SIGTERM ? "ended by SIGTERM" : "a worker has ended");
}

}  // namespace kit
