// Prepares a WebSocket++ endpoint to listen: compression, a shared port and TLS.

#pragma once

#include "cpp/serving.hpp"
#include "cpp/workers.hpp"

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

inline auto make_tls_context(kit::Tls const& tls) {
    using boost::asio::ssl::context;
    auto const made = std::make_shared<context>(context::tls_server);
    made->use_certificate_chain_file(tls.certificate_file);
    made->use_private_key_file(tls.key_file, context::pem);
    return made;
}

template <typename Endpoint>
void listen(Endpoint& endpoint, kit::ServerSettings const& settings) {
    endpoint.set_reuse_addr(true);
    endpoint.set_tcp_pre_bind_handler([&](auto acceptor) {
        if (settings.workers > 1) kit::share_port(acceptor->native_handle());
        return websocketpp::lib::error_code{};
    });
    endpoint.listen(settings.host, std::to_string(settings.port));
    endpoint.start_accept();
}
