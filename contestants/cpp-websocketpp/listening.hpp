// Prepares a WebSocket++ endpoint to listen, with or without compression.

#pragma once

#include "cpp/server.hpp"

#include <websocketpp/config/asio.hpp>
#include <websocketpp/extensions/permessage_deflate/enabled.hpp>
#include <websocketpp/server.hpp>

// A configuration of the library with compression, as in its manual.
template <typename Base>
struct Deflating : Base {
    struct permessage_deflate_config {};
    using permessage_deflate_type =
        websocketpp::extensions::permessage_deflate::enabled<permessage_deflate_config>;
};

template <typename Endpoint>
void listen(Endpoint& endpoint, kit::Server const& settings) {
    // Otherwise the port of a server that has just ended cannot be used.
    endpoint.set_reuse_addr(true);
    endpoint.listen(settings.host, std::to_string(settings.port));
    endpoint.start_accept();
}
