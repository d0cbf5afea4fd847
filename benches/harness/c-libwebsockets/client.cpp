// The smallest program that receives with libwebsockets.

#include <cstdlib>
#include <libwebsockets.h>
#include <string>

static unsigned long messages, count;
static bool is_closed;

static int on_event(lws* wsi, lws_callback_reasons reason, void*, void*, size_t) {
    switch (reason) {
        case LWS_CALLBACK_CLIENT_RECEIVE:
            count += lws_is_final_fragment(wsi);
            if (count < messages) return 0;
            lws_close_reason(wsi, LWS_CLOSE_STATUS_NORMAL, nullptr, 0);
            return -1;
        case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
        case LWS_CALLBACK_CLIENT_CLOSED:
            is_closed = true;
            return 0;
        default:
            return 0;
    }
}

int main() {
    messages = std::stoul(std::getenv("MESSAGES"));
    std::string const url = std::getenv("URL");  // ws://HOST:PORT/PATH
    auto const colon = url.find(':', 5);
    auto const slash = url.find('/', 5);
    auto const host = url.substr(5, colon - 5);
    auto const path = url.substr(slash);
    lws_set_log_level(LLL_ERR | LLL_WARN, nullptr);

    lws_protocols const protocols[] = {{"client", on_event, 0, 0, 0, nullptr, 0}, {}};
    lws_context_creation_info creation{};
    creation.port = CONTEXT_PORT_NO_LISTEN;
    creation.protocols = protocols;
    lws_context* const context = lws_create_context(&creation);

    lws_client_connect_info info{};
    info.context = context;
    info.address = info.host = info.origin = host.c_str();
    info.port = std::stoi(url.substr(colon + 1));
    info.path = path.c_str();
    info.local_protocol_name = protocols[0].name;
    lws_client_connect_via_info(&info);
    while (!is_closed && lws_service(context, 0) >= 0) continue;
    lws_context_destroy(context);
}
