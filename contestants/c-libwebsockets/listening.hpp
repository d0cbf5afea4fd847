// What a server needs of libwebsockets before a connection is open: a context that listens, and the path of a request.

#pragma once

#include "cpp/server.hpp"

#include <libwebsockets.h>
#include <stdexcept>

// Returns a listening context. The settings must outlive it.
inline lws_context* listen(kit::Server const& settings, lws_protocols const* protocols) {
    // As in the library's examples.
    static lws_extension const extensions[] = {
        {"permessage-deflate", lws_extension_callback_pm_deflate,
         "permessage-deflate; client_no_context_takeover; client_max_window_bits"},
        {}};
    lws_context_creation_info info{};
    info.iface = settings.host.c_str();
    info.port = settings.port;
    info.protocols = protocols;
    info.options = LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND;
    // With IPv6 enabled, the library would treat an IPv4 address as all addresses.
    bool const is_ipv6 = settings.host.find(':') != std::string::npos;
    if (!is_ipv6) info.options |= LWS_SERVER_OPTION_DISABLE_IPV6;
    if (settings.deflate) info.extensions = extensions;
    if (settings.is_tls) {
        info.options |= LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
        info.ssl_cert_filepath = settings.certificate_file.c_str();
        info.ssl_private_key_filepath = settings.key_file.c_str();
    }
    auto const context = lws_create_context(&info);
    if (context == nullptr) throw std::runtime_error{"cannot listen"};
    return context;
}

inline std::optional<kit::Role> role_of(lws* wsi) {
    char path[16];
    auto const length = lws_hdr_copy(wsi, path, sizeof path, WSI_TOKEN_GET_URI);
    if (length <= 0) return std::nullopt;
    return kit::role_of(path);
}
