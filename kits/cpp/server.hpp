// The settings of a server: docs/contract.md, section 4.

#pragma once

#include "variables.hpp"

#include <cstddef>

namespace kit {

// The longest message that a server must accept, whatever the default of its library.
constexpr std::size_t message_bytes_max = 16 * 1024 * 1024;

// What a server does with the messages of a connection.
enum class Role { echo, publisher, subscriber };

// Returns nothing if connections to this path are refused.
inline std::optional<Role> role_of(std::string_view path) {
    if (path == "/echo") return Role::echo;
    if (path == "/publish") return Role::publisher;
    if (path == "/subscribe") return Role::subscriber;
    return std::nullopt;
}

// The settings of a server, read from the environment.
struct Server {
    std::string host = find("HOST").value_or("127.0.0.1");
    std::uint16_t port = static_cast<std::uint16_t>(count("PORT", {}, 65'535));
    bool deflate = has_deflate();  // whether compression is granted to clients that offer it
    bool is_tls = find("TLS_CERT") || find("TLS_KEY");
    std::string certificate_file = is_tls ? file("TLS_CERT") : "";  // of the chain, as PEM
    std::string key_file = is_tls ? file("TLS_KEY") : "";
};

// Calls serve, which returns only on failure.
template <typename Serve>
[[noreturn]] void run_server(Serve const& serve) {
    Server const settings{};
    run_or_fail([&] { serve(settings); });
    fail(1, "the server has ended");
}

}  // namespace kit
