// Echoes messages and sends a feed with uWebSockets.

#include "feed.hpp"
#include "cpp/workers.hpp"

struct Nothing {};

template <bool IS_TLS>
void serve(uWS::TemplatedApp<IS_TLS> app, kit::ServerSettings const& settings) {
    // As in the library's echo server.
    auto const compression =
        settings.deflate
            ? uWS::CompressOptions(uWS::DEDICATED_COMPRESSOR_4KB | uWS::DEDICATED_DECOMPRESSOR)
            : uWS::DISABLED;
    // The contract requires messages of up to 16 MiB, and that no waiting message is dropped.
    auto const limit = kit::ServerSettings::payload_bytes_max;

    app.template ws<Nothing>(
        "/echo", {.compression = compression,
                  .maxPayloadLength = limit,
                  .maxBackpressure = 0,
                  .message = [&](auto* socket, std::string_view message, uWS::OpCode opcode) {
                      socket->send(message, opcode, settings.deflate);
                  }});

    Feeding<IS_TLS> feeding{app, settings};
    app.template ws<Subscriber>(
        "/feed",
        {.compression = compression,
         .maxBackpressure = 0,
         .open = [&](auto* socket) { feeding.join(socket); },
         .drain = [&](auto* socket) { feeding.subscribers.has_room(socket); },
         .close = [&](auto* socket, int, std::string_view) { feeding.subscribers.leave(socket); }});

    // The library shares the port by default.
    int const options = settings.workers > 1 ? LIBUS_LISTEN_DEFAULT : LIBUS_LISTEN_EXCLUSIVE_PORT;
    app.listen(settings.host, settings.port, options, [](auto* socket) {
        if (socket == nullptr) kit::fail(1, "cannot listen");
    });
    app.run();
}

int main() {
    auto const settings = kit::ServerSettings::from_environment();
    kit::run_workers(settings.workers, [&] {
        if (auto const& tls = settings.tls) {
            serve<true>(uWS::SSLApp({.key_file_name = tls->key_file.c_str(),
                                     .cert_file_name = tls->certificate_file.c_str()}),
                        settings);
        } else {
            serve<false>(uWS::App(), settings);
        }
    });
}
