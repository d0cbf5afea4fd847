// Serves with uWebSockets, as its manual: a behavior for each path, and subscribers of one topic.

#include "App.h"
#include "cpp/server.hpp"

struct Nothing {};

template <bool IS_TLS>
void serve(uWS::TemplatedApp<IS_TLS> app, kit::Server const& settings) {
    // As in the library's echo server.
    auto const compression =
        settings.deflate
            ? uWS::CompressOptions(uWS::DEDICATED_COMPRESSOR_4KB | uWS::DEDICATED_DECOMPRESSOR)
            : uWS::DISABLED;

    // The contract requires messages of up to 16 MiB, and all answers to a peer that reads late.
    app.template ws<Nothing>(
        "/echo", {.compression = compression,
                  .maxPayloadLength = kit::message_bytes_max,
                  .maxBackpressure = 0,
                  .message = [&](auto* socket, std::string_view message, uWS::OpCode opcode) {
                      socket->send(message, opcode, settings.deflate);
                  }});
    app.template ws<Nothing>(
        "/publish", {.compression = compression,
                     .maxPayloadLength = kit::message_bytes_max,
                     .message = [&](auto*, std::string_view message, uWS::OpCode opcode) {
                         app.publish("all", message, opcode, settings.deflate);
                     }});
    app.template ws<Nothing>("/subscribe", {.compression = compression,
                                            .open = [](auto* socket) { socket->subscribe("all"); }});

    app.listen(settings.host, settings.port, [](auto* socket) {
        if (socket == nullptr) kit::fail(1, "cannot listen");
    });
    app.run();
}

int main() {
    kit::run_server([](kit::Server const& settings) {
        if (settings.is_tls) {
            serve<true>(uWS::SSLApp({.key_file_name = settings.key_file.c_str(),
                                     .cert_file_name = settings.certificate_file.c_str()}),
                        settings);
        } else {
            serve<false>(uWS::App(), settings);
        }
    });
}
