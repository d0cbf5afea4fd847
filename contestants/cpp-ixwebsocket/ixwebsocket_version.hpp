// The preprocessor turns this file into the version of IXWebSocket, with the macros of
// IXWebSocketVersion.h.

IX_WEBSOCKET_VERSION
