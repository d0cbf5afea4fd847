// Serves with Boost.Beast, as its asynchronous server examples: everything runs on one io_context and its thread.

#include "session.hpp"

template <typename Accepted>
void accept(tcp::acceptor& acceptor, Accepted const& accepted) {
    acceptor.async_accept([&](Error error, tcp::socket socket) {
        if (!error) accepted(std::move(socket));
        accept(acceptor, accepted);
    });
}

template <typename Transport, typename... Tls>
void serve(kit::Server const& settings, Tls&... tls) {
    net::io_context io{1};
    typename Session<Transport>::Subscribers subscribers;
    tcp::acceptor acceptor{io, tcp::endpoint{net::ip::make_address(settings.host), settings.port}};
    auto const accepted = [&](tcp::socket socket) {
        std::make_shared<Session<Transport>>(subscribers, std::move(socket), tls...)->start(settings.deflate);
    };
    accept(acceptor, accepted);
    io.run();
}

int main() {
    kit::run_server([](kit::Server const& settings) {
        if (!settings.is_tls) return serve<Plain>(settings);
        net::ssl::context tls{net::ssl::context::tls_server};
        tls.use_certificate_chain_file(settings.certificate_file);
        tls.use_private_key_file(settings.key_file, net::ssl::context::pem);
        serve<Secure>(settings, tls);
    });
}
