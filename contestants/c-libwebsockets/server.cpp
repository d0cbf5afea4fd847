// Echoes messages and sends a feed with libwebsockets: one callback for all events of its loop.

#include "cpp/workers.hpp"
#include "feed.hpp"
#include "listening.hpp"

std::unique_ptr<Feeding> feeding;

bool is_feed(lws* wsi) {
    char path[8];
    auto const length = lws_hdr_copy(wsi, path, sizeof path, WSI_TOKEN_GET_URI);
    return length > 0 && path == std::string_view{"/feed"};
}

int server_event(lws* wsi, lws_callback_reasons reason, void* user, void* in, size_t length) {
    auto const slot = static_cast<Session**>(user);
    switch (reason) {
        case LWS_CALLBACK_ESTABLISHED:
            *slot = new Session{wsi, is_feed(wsi), feeding->is_continuous && is_feed(wsi)};
            if ((*slot)->is_subscriber) feeding->subscribers.join(*slot);
            return 0;
        case LWS_CALLBACK_RECEIVE:
            if (!(*slot)->is_subscriber) (*slot)->echo(in, length);
            return 0;
        case LWS_CALLBACK_SERVER_WRITEABLE:
            if ((*slot)->write_next() < 0) return -1;
            if ((*slot)->is_ready) feeding->subscribers.has_room(*slot);
            return 0;
        case LWS_CALLBACK_CLOSED:
            feeding->subscribers.leave(*slot);
            delete *slot;
            return 0;
        default:
            return lws_callback_http_dummy(wsi, reason, user, in, length);
    }
}

void serve(kit::ServerSettings const& settings) {
    lws_protocols const protocols[] = {
        {"server", server_event, sizeof(Session*), 0, 0, nullptr, 0}, {}};
    auto const context = listen(settings, protocols);
    feeding = std::make_unique<Feeding>(context, settings.feed);
    while (lws_service(context, 0) >= 0) continue;
}

int main() {
    lws_set_log_level(LLL_ERR | LLL_WARN, nullptr);
    auto const settings = kit::ServerSettings::from_environment();
    kit::serve_or_fail([&] { serve(settings); });
}
