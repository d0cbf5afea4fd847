// Creates the libwebsockets context of a client, and opens its connections.

#pragma once

#include "cpp/client.hpp"

#include <cstdlib>
#include <libwebsockets.h>
#include <stdexcept>

inline lws_context* make_client_context(lws_protocols const* protocols, bool is_tls) {
    unsetenv("http_proxy");  // The library would connect through this proxy.
    lws_context_creation_info info{};
    info.port = CONTEXT_PORT_NO_LISTEN;
    info.protocols = protocols;
    if (is_tls) info.options = LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
    auto const context = lws_create_context(&info);
    if (context == nullptr) throw std::runtime_error{"cannot create a context"};
    return context;
}

// The callback of the protocol gets the events of the connection, a failure to open it included.
inline void connect(lws_context* context, lws_protocols const& protocol, kit::Url const& url, void* user) {
    lws_client_connect_info info{};
    info.context = context;
    info.address = url.host.c_str();
    info.port = std::stoi(url.port);
    info.path = url.target.c_str();
    info.host = info.origin = url.authority.c_str();
    info.local_protocol_name = protocol.name;
    if (url.is_tls) info.ssl_connection = LCCSCF_USE_SSL;
    info.userdata = user;
    lws_client_connect_via_info(&info);
}
