// Feeds an audience with github.com/gorilla/websocket: each member has a goroutine that reads and one
// that writes to it, as in the library's example of a chat. A PreparedMessage is written to all.

package main

import (
	"autostrada/kit/feed"
	"autostrada/kit/serving"

	"github.com/gorilla/websocket"
)

type queue = serving.Queue[*websocket.PreparedMessage]

func feeder(settings serving.FeedSettings) func(*websocket.Conn) {
	audience := serving.NewQueuedAudience(settings, prepare)
	return func(connection *websocket.Conn) {
		member := audience.Join()
		defer member.Leave()
		go write(connection, member)

		// What a member sends is ignored. After its closing frame there is an error.
		for {
			if _, _, err := connection.NextReader(); err != nil {
				return
			}
		}
	}
}

func prepare(message feed.Message) (*websocket.PreparedMessage, error) {
	if message.IsText {
		return websocket.NewPreparedMessage(websocket.TextMessage, message.Payload)
	}
	return websocket.NewPreparedMessage(websocket.BinaryMessage, message.Payload)
}

func write(connection *websocket.Conn, member *queue) {
	for message := range member.Messages() {
		if err := connection.WritePreparedMessage(message); err != nil {
			member.Leave()
			return
		}
	}
	code := websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")
	connection.WriteMessage(websocket.CloseMessage, code)
}
