// Exchanges echoes with github.com/gorilla/websocket, as its documentation does: Dial, WriteMessage
// and ReadMessage for each message, a message to close.

package main

import (
	"autostrada/kit"

	"github.com/gorilla/websocket"
)

func echo(exchanger *kit.Exchanger) error {
	connection, _, err := websocket.DefaultDialer.Dial(exchanger.URL(), nil)
	if err != nil {
		return err
	}
	defer connection.Close()

	exchanger.Opened()
	for isWanted := true; isWanted; {
		err := connection.WriteMessage(websocket.TextMessage, exchanger.Payload())
		if err != nil {
			return err
		}
		messageType, answer, err := connection.ReadMessage()
		if err != nil {
			return err
		}
		isWanted = exchanger.Answered(messageType == websocket.TextMessage, answer)
	}

	closeAndWait(connection)
	return nil
}
