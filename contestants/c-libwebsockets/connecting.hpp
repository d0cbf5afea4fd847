// Opens a client's connections with libwebsockets and runs their event loop until all are closed.

#pragma once

#include "cpp/settings.hpp"

#include <cstdlib>
#include <deque>
#include <libwebsockets.h>
#include <stdexcept>

// The connections of a client. All have one callback, whose user pointer is a Connection.
template <typename Connection>
class Client {
public:
    Client(kit::Url const& url, std::uint64_t connections, lws_callback_function* callback)
        : protocols{{"client", callback, 0, 0, 0, this, 0}, {}} {
        // The library would connect through the proxy in this variable.
        unsetenv("http_proxy");
        lws_context_creation_info creation{};
        creation.port = CONTEXT_PORT_NO_LISTEN;
        creation.protocols = protocols;
        creation.user = this;
        context = lws_create_context(&creation);
        if (context == nullptr) throw std::runtime_error{"cannot create a context"};
        for (std::uint64_t i = 0; i < connections; ++i) connect(url, opened.emplace_back());
    }

    // Runs the event loop until all connections are closed.
    void serve() {
        while (closed < opened.size() && lws_service(context, 0) >= 0) continue;
    }

    lws_context* context = nullptr;
    std::size_t closed = 0;

private:
    void connect(kit::Url const& url, Connection& connection) {
        lws_client_connect_info info{};
        info.context = context;
        info.address = url.host.c_str();
        info.port = std::stoi(url.port);
        info.path = url.target.c_str();
        info.host = info.origin = url.authority.c_str();
        info.local_protocol_name = protocols[0].name;
        info.userdata = &connection;
        // On an immediate failure, the library has called the callback already.
        lws_client_connect_via_info(&info);
    }

    lws_protocols const protocols[2];
    std::deque<Connection> opened{};
};

// Ends the program because a connection could not be opened.
[[noreturn]] inline void fail_to_connect(void const* reason) {
    auto const text = static_cast<char const*>(reason);
    kit::fail(1, std::string{"cannot connect: "} + (text == nullptr ? "unknown reason" : text));
}

template <typename Connection>
Client<Connection>& client_of(lws* wsi) {
    return *static_cast<Client<Connection>*>(lws_context_user(lws_get_context(wsi)));
}
