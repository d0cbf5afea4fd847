// Preprocessed, this file has the version of WebSocket++ in it.

#include <websocketpp/version.hpp>
