// The preprocessor puts the version of WebSocket++ into this file.

#include <websocketpp/version.hpp>
