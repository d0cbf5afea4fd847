// Messages as libwebsockets has them: they arrive in pieces, and are sent with room before them.

#pragma once

#include <cstddef>
#include <libwebsockets.h>
#include <string>
#include <string_view>

// Puts together what arrives in pieces.
class Assembly {
public:
    // Takes a piece, and tells whether the message is complete.
    bool take(lws* wsi, void const* in, std::size_t length) {
        std::string_view const piece{static_cast<char const*>(in), length};
        if (is_complete) kept.clear();
        is_complete = lws_is_final_fragment(wsi);
        // Most messages are of one piece: they are not copied.
        if (is_complete && kept.empty()) {
            whole = piece;
        } else {
            kept += piece;
            whole = kept;
        }
        return is_complete;
    }

    std::string_view message() const { return whole; }

private:
    bool is_complete = true;
    std::string kept{};
    std::string_view whole{};
};

// Returns a payload with the room before it that lws_write needs.
inline std::string with_room(std::string_view payload) {
    std::string padded(LWS_PRE, '\0');
    return padded.append(payload);
}

// Writes what with_room has returned; a client's content is masked in place.
inline bool write(lws* wsi, std::string& padded, bool is_text) {
    auto const payload = reinterpret_cast<unsigned char*>(padded.data()) + LWS_PRE;
    auto const length = padded.size() - LWS_PRE;
    return lws_write(wsi, payload, length, is_text ? LWS_WRITE_TEXT : LWS_WRITE_BINARY) >= 0;
}

// To be returned by a callback that ends its connection.
inline int close_normally(lws* wsi) {
    lws_close_reason(wsi, LWS_CLOSE_STATUS_NORMAL, nullptr, 0);
    return -1;
}
