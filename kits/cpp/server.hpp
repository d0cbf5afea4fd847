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

// The settings of a server.
struct Server {
    std::string host;
    std::uint16_t port;
    bool deflate;  // whether compression is granted to clients that offer it
    bool is_tls;
    std::string certificate_file{};  // of the chain, as PEM
    std::string key_file{};

    static Server read(Environment const& environment) {
        Server settings{environment.find("HOST").value_or("127.0.0.1"),
                        static_cast<std::uint16_t>(environment.count("PORT", {}, 65'535)),
                        environment.deflate(), environment.find("TLS_CERT") || environment.find("TLS_KEY")};
        if (settings.is_tls) {
            settings.certificate_file = environment.file("TLS_CERT");
            settings.key_file = environment.file("TLS_KEY");
        }
        return settings;
    }
};

// Calls serve, which returns only on failure.
template <typename Serve>
[[noreturn]] void run_server(Serve const& serve) {
    auto const settings = read_or_fail(Server::read);
    try {
        serve(settings);
    } catch (std::exception const& error) {
        fail(1, error.what());
    }
    fail(1, "the server has ended");
}

}  // namespace kit
