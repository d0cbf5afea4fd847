// Exchanges echoes with libwebsockets, which allows writing only when the connection is writable.

#pragma once

#include "connecting.hpp"
#include "cpp/exchanger.hpp"
#include "message.hpp"

struct Exchange {
    kit::Exchange* exchange = nullptr;
    Assembly assembly{};
    std::string padded{};
    bool is_over = false;
};

inline kit::Exchanger* exchanger = nullptr;

inline int echo_event(lws* wsi, lws_callback_reasons reason, void* user, void* in, size_t length) {
    auto const each = static_cast<Exchange*>(user);
    switch (reason) {
        case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
            fail_to_connect(in);
        case LWS_CALLBACK_CLIENT_ESTABLISHED:
            each->exchange = &exchanger->opened();
            return lws_callback_on_writable(wsi) < 0;
        case LWS_CALLBACK_CLIENT_WRITEABLE:
            if (each->is_over) return 0;
            each->padded = with_room(exchanger->payload());
            return write(wsi, each->padded, true) ? 0 : -1;
        case LWS_CALLBACK_CLIENT_RECEIVE: {
            auto& assembly = each->assembly;
            if (!assembly.take(wsi, in, length)) return 0;
            bool const is_text = !lws_frame_is_binary(wsi);
            each->is_over = !each->exchange->answered(assembly.message(), is_text);
            return each->is_over ? close_normally(wsi) : lws_callback_on_writable(wsi) < 0;
        }
        case LWS_CALLBACK_CLIENT_CLOSED:
            if (!each->is_over) kit::fail(1, "the server has ended the connection");
            ++client_of<Exchange>(wsi).closed;
            return 0;
        default:
            return lws_callback_http_dummy(wsi, reason, user, in, length);
    }
}

inline void exchange(kit::Exchanger& given) {
    exchanger = &given;
    Client<Exchange> client{given.url(), given.connections(), echo_event};
    client.serve();
}
