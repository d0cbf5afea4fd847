// Bots with github.com/coder/websocket: a goroutine sends, and another one takes the answers.

package main

import (
	"context"

	"autostrada/kit"

	"github.com/coder/websocket"
)

func sendWhenDue(bots *kit.Bots) error {
	background := context.Background()
	connection, _, err := websocket.Dial(background, bots.URL(), nil)
	if err != nil {
		return err
	}
	defer connection.CloseNow()

	bot := bots.Opened()
	go func() {
		for {
			messageType, answer, err := connection.Read(background)
			if err != nil {
				bot.Ended(err)
				return
			}
			bot.Answered(messageType == websocket.MessageText, answer)
		}
	}()
	err = bot.SendWhenDue(func(event []byte) error {
		return connection.Write(background, websocket.MessageText, event)
	})
	if err != nil {
		return err
	}

	// How the server answers the close does not matter.
	connection.Close(websocket.StatusNormalClosure, "")
	return nil
}
