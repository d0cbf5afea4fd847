// Preprocessed with the macros of IXWebSocketVersion.h, this file is the version of IXWebSocket.

IX_WEBSOCKET_VERSION
