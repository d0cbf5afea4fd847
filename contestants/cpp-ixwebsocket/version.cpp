// Prints the version of IXWebSocket.

#include <cstdio>
#include <ixwebsocket/IXWebSocketVersion.h>

int main() { std::puts(IX_WEBSOCKET_VERSION); }
