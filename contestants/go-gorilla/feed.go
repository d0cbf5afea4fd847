// Feeds an audience with github.com/gorilla/websocket: each member has a goroutine that reads and one
// that writes to it, as in the library's example of a chat.

package main

import (
	"autostrada/kit/feed"
	"autostrada/kit/serving"

	"github.com/gorilla/websocket"
)

// write writes a message to a member.
type write = func(*websocket.Conn) error

func feeder(settings serving.Settings) func(*websocket.Conn) {
	prepare := asIs
	if settings.Deflate {
		prepare = compressedOnce
	}
	audience := serving.NewQueuedAudience(*settings.Feed, prepare)
	return func(connection *websocket.Conn) {
		member := audience.Join()
		defer member.Leave()
		go writeAll(connection, member)

		// What a member sends is ignored. After its closing frame there is an error.
		for {
			if _, _, err := connection.NextReader(); err != nil {
				return
			}
		}
	}
}

func asIs(message feed.Message) (write, error) {
	return func(connection *websocket.Conn) error {
		return connection.WriteMessage(typeOf(message), message.Payload)
	}, nil
}

func compressedOnce(message feed.Message) (write, error) {
	prepared, err := websocket.NewPreparedMessage(typeOf(message), message.Payload)
	return func(connection *websocket.Conn) error {
		return connection.WritePreparedMessage(prepared)
	}, err
}

func writeAll(connection *websocket.Conn, member *serving.Queue[write]) {
	for writeTo := range member.Messages() {
		if err := writeTo(connection); err != nil {
			member.Leave()
			return
		}
	}
	code := websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")
	connection.WriteMessage(websocket.CloseMessage, code)
}
