// Bots with github.com/gorilla/websocket: a goroutine sends, and another one takes the answers.

package main

import (
	"time"

	"autostrada/kit"

	"github.com/gorilla/websocket"
)

func sendWhenDue(bots *kit.Bots) error {
	connection, _, err := websocket.DefaultDialer.Dial(bots.URL(), nil)
	if err != nil {
		return err
	}
	defer connection.Close()

	bot := bots.Opened()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			messageType, answer, err := connection.ReadMessage()
			if err != nil {
				bot.Ended(err)
				return
			}
			bot.Answered(messageType == websocket.TextMessage, answer)
		}
	}()
	err = bot.SendWhenDue(func(event []byte) error {
		return connection.WriteMessage(websocket.TextMessage, event)
	})
	if err != nil {
		return err
	}

	// How the server answers the close does not matter.
	sendClose(connection)
	select {
	case <-ended:
	case <-time.After(closingLimit):
	}
	return nil
}
