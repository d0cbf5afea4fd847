// Bots with libwebsockets: a timer of its event loop tells when it is time to send.

#pragma once

#include "connecting.hpp"
#include "cpp/bots.hpp"
#include "talk.hpp"

inline kit::Bots* bots = nullptr;
inline lws_context* context = nullptr;

inline void play(lws_sorted_usec_list_t* timer) {
    if (auto const wait_ns = bots->play()) {
        auto const wait_us = static_cast<lws_usec_t>((*wait_ns + 999) / 1000);
        lws_sul_schedule(context, 0, timer, play, wait_us);
    }
}

inline void open(Talk& talk, lws* wsi) {
    static lws_sorted_usec_list_t timer{};
    talk.wsi = wsi;
    talk.bot = &bots->opened([&talk](auto const& event) { talk.send(event); },
                             [&talk] { lws_callback_on_writable(talk.wsi); });
    if (bots->have_begun()) play(&timer);
}

inline int bots_event(lws* wsi, lws_callback_reasons reason, void* user, void* in, size_t length) {
    auto const talk = static_cast<Talk*>(user);
    switch (reason) {
        case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
            fail_to_connect(in);
        case LWS_CALLBACK_CLIENT_ESTABLISHED:
            open(*talk, wsi);
            return 0;
        case LWS_CALLBACK_CLIENT_WRITEABLE:
            return talk->bot->is_over() ? close_normally(wsi) : talk->write_next();
        case LWS_CALLBACK_CLIENT_RECEIVE:
            talk->receive(in, length);
            return 0;
        case LWS_CALLBACK_CLIENT_CLOSED:
            if (!talk->bot->is_over()) kit::fail(1, "the server has ended the connection");
            ++client_of<Talk>(wsi).closed;
            return 0;
        default:
            return lws_callback_http_dummy(wsi, reason, user, in, length);
    }
}

inline void send_when_due(kit::Bots& given) {
    bots = &given;
    Client<Talk> client{given.url(), given.connections(), bots_event};
    context = client.context;
    client.serve();
}
