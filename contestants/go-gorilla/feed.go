// Sends a feed to subscribers with github.com/gorilla/websocket: each subscriber has a goroutine that reads and one
// that writes to it, as in the library's example of a chat.

package main

import (
	"autostrada/kit/feed"
	"autostrada/kit/serving"

	"github.com/gorilla/websocket"
)

// write writes a message to a subscriber.
type write = func(*websocket.Conn) error

func feeder(settings serving.Settings) func(*websocket.Conn) {
	prepare := asIs
	if settings.Deflate {
		prepare = compressedOnce
	}
	subscribers := serving.NewQueuedSubscribers(*settings.Feed, prepare)
	return func(connection *websocket.Conn) {
		subscriber := subscribers.Join()
		defer subscriber.Leave()
		go writeAll(connection, subscriber)

		// What a subscriber sends is ignored. After its closing frame there is an error.
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

func writeAll(connection *websocket.Conn, subscriber *serving.Queue[write]) {
	for writeTo := range subscriber.Messages() {
		if err := writeTo(connection); err != nil {
			subscriber.Leave()
			return
		}
	}
	code := websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")
	connection.WriteMessage(websocket.CloseMessage, code)
}
