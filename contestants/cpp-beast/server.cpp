// Echoes messages and sends a feed with Boost.Beast, as its asynchronous server examples:
// everything runs on one io_context and its thread.

#include "cpp/workers.hpp"
#include "session.hpp"

using tcp = net::ip::tcp;

void start(Shared& shared, tcp::socket socket) {
    if (shared.settings.tls) {
        using Transport = beast::ssl_stream<beast::tcp_stream>;
        std::make_shared<Session<Transport>>(shared, std::move(socket), shared.tls)->start();
    } else {
        std::make_shared<Session<beast::tcp_stream>>(shared, std::move(socket))->start();
    }
}

void accept(tcp::acceptor& acceptor, Shared& shared) {
    acceptor.async_accept([&](auto error, tcp::socket socket) {
        if (!error) start(shared, std::move(socket));
        accept(acceptor, shared);
    });
}

void listen(tcp::acceptor& acceptor, kit::ServerSettings const& settings) {
    tcp::endpoint const endpoint{net::ip::make_address(settings.host), settings.port};
    acceptor.open(endpoint.protocol());
    acceptor.set_option(net::socket_base::reuse_address{true});
    if (settings.workers > 1) kit::share_port(acceptor.native_handle());
    acceptor.bind(endpoint);
    acceptor.listen(net::socket_base::max_listen_connections);
}

void serve(kit::ServerSettings const& settings) {
    net::io_context io{1};
    Shared shared{settings, {io, settings.feed}};
    if (auto const& tls = settings.tls) {
        shared.tls.use_certificate_chain_file(tls->certificate_file);
        shared.tls.use_private_key_file(tls->key_file, net::ssl::context::pem);
    }
    tcp::acceptor acceptor{io};
    listen(acceptor, settings);
    accept(acceptor, shared);
    io.run();
}

int main() {
    auto const settings = kit::ServerSettings::from_environment();
    kit::run_workers(settings.workers, [&] { serve(settings); });
}
