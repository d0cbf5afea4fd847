// Sends a feed with github.com/gorilla/websocket: each subscriber has a goroutine that reads and
// one that writes, as in the library's chat example.

package main

import (
	"autostrada/kit/feed"
	"autostrada/kit/serving"

	"github.com/gorilla/websocket"
)

// write sends one message to a subscriber.
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

		// Messages from a subscriber are ignored. Its close frame causes an error.
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
