// Feeds an audience with github.com/coder/websocket: each member has a goroutine that writes to it,
// as in the library's example of a chat, and another one that reads.

package main

import (
	"context"

	"autostrada/kit/feed"
	"autostrada/kit/serving"

	"github.com/coder/websocket"
)

func feeder(settings serving.FeedSettings) func(*websocket.Conn) {
	audience := serving.NewQueuedAudience(settings, asIs)
	return func(connection *websocket.Conn) {
		member := audience.Join()
		defer member.Leave()
		go ignore(connection, member)

		for message := range member.Messages() {
			messageType := websocket.MessageBinary
			if message.IsText {
				messageType = websocket.MessageText
			}
			if err := connection.Write(context.Background(), messageType, message.Payload); err != nil {
				return
			}
		}
		connection.Close(websocket.StatusNormalClosure, "")
	}
}

// asIs prepares a message for all: the library has nothing to prepare.
func asIs(message feed.Message) (feed.Message, error) { return message, nil }

// ignore reads what a member sends, and notices when it is gone. The library's CloseRead would close
// the connection of a member that sends.
func ignore(connection *websocket.Conn, member *serving.Queue[feed.Message]) {
	defer member.Leave()
	for {
		if _, _, err := connection.Read(context.Background()); err != nil {
			return
		}
	}
}
