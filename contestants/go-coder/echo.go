// Exchanges echoes with github.com/coder/websocket, as its documentation shows: Dial, Write and
// Read for each message, Close.

package main

import (
	"context"

	"autostrada/kit"

	"github.com/coder/websocket"
)

func echo(exchanger *kit.Exchanger) error {
	background := context.Background()
	connection, _, err := websocket.Dial(background, exchanger.URL(), nil)
	if err != nil {
		return err
	}
	defer connection.CloseNow()

	exchanger.Opened()
	for isOngoing := true; isOngoing; {
		err := connection.Write(background, websocket.MessageText, exchanger.Payload())
		if err != nil {
			return err
		}
		messageType, answer, err := connection.Read(background)
		if err != nil {
			return err
		}
		isOngoing = exchanger.Answered(messageType == websocket.MessageText, answer)
	}

	// The server's answer to the close does not matter.
	connection.Close(websocket.StatusNormalClosure, "")
	return nil
}
