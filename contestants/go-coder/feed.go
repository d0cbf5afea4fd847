// Sends a feed with github.com/coder/websocket: each subscriber has a goroutine that writes, as in
// the library's chat example, and another one that reads.

package main

import (
	"context"

	"autostrada/kit/feed"
	"autostrada/kit/serving"

	"github.com/coder/websocket"
)

func feeder(settings serving.FeedSettings) func(*websocket.Conn) {
	subscribers := serving.NewQueuedSubscribers(settings, asIs)
	return func(connection *websocket.Conn) {
		subscriber := subscribers.Join()
		defer subscriber.Leave()
		go ignore(connection, subscriber)

		for message := range subscriber.Messages() {
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

// asIs returns the message unchanged: the library has no prepared messages.
func asIs(message feed.Message) (feed.Message, error) { return message, nil }

// ignore discards what a subscriber sends, and detects when it is gone. The library's CloseRead
// would close the connection of a subscriber that sends a message.
func ignore(connection *websocket.Conn, subscriber *serving.Queue[feed.Message]) {
	defer subscriber.Leave()
	for {
		if _, _, err := connection.Read(context.Background()); err != nil {
			return
		}
	}
}
