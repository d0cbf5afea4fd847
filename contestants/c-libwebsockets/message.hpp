// Messages of libwebsockets: received in pieces, and sent with room for the header before them.

#pragma once

#include <cstddef>
#include <libwebsockets.h>
#include <string>
#include <string_view>

// Assembles a message from its pieces.
class Assembly {
public:
    // Adds a piece and returns whether the message is complete.
    bool take(lws* wsi, void const* in, std::size_t length) {
        std::string_view const piece{static_cast<char const*>(in), length};
        if (is_complete) kept.clear();
        is_complete = lws_is_final_fragment(wsi);
        // Most messages consist of one piece and are not copied.
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

// Returns a payload with the room in front that lws_write needs.
inline std::string with_room(std::string_view payload) {
    std::string padded(LWS_PRE, '\0');
    return padded.append(payload);
}

// Writes the result of with_room. A client's payload is masked in place.
inline bool write(lws* wsi, std::string& padded, bool is_text) {
    auto const payload = reinterpret_cast<unsigned char*>(padded.data()) + LWS_PRE;
    auto const length = padded.size() - LWS_PRE;
    return lws_write(wsi, payload, length, is_text ? LWS_WRITE_TEXT : LWS_WRITE_BINARY) >= 0;
}

// Return value for a callback that closes its connection with code 1000.
inline int close_normally(lws* wsi) {
    lws_close_reason(wsi, LWS_CLOSE_STATUS_NORMAL, nullptr, 0);
    return -1;
}
