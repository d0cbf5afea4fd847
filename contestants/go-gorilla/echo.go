// Exchanges echoes with github.com/gorilla/websocket, as its documentation shows: Dial,
// WriteMessage and ReadMessage for each message, a close message.

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
	for isOngoing := true; isOngoing; {
		err := connection.WriteMessage(websocket.TextMessage, exchanger.Payload())
		if err != nil {
			return err
		}
		messageType, answer, err := connection.ReadMessage()
		if err != nil {
			return err
		}
		isOngoing = exchanger.Answered(messageType == websocket.TextMessage, answer)
	}

	closeAndWait(connection)
	return nil
}
