// Receives the messages that a server pushes with github.com/gorilla/websocket, as its
// documentation shows: Dial, ReadMessage for each message, a close message.
package main

import (
	"errors"
	"time"

	"autostrada/kit"

	"github.com/gorilla/websocket"
)

// How long to wait for the server to close the connection, as in the library's example.
const closingLimit = time.Second

func main() {
	kit.Run(receive, echo)
}

func receive(receiver *kit.Receiver) error {
	connection, _, err := websocket.DefaultDialer.Dial(receiver.URL(), nil)
	if err != nil {
		return err
	}
	defer connection.Close()

	counter := receiver.Opened()
	for isAll := false; !isAll; {
		messageType, payload, err := connection.ReadMessage()
		if err != nil {
			var closed *websocket.CloseError
			if errors.As(err, &closed) || kit.IsEndOfStream(err) {
				return nil // The server closed early.
			}
			return err
		}
		isAll = counter.Received(messageType == websocket.TextMessage, payload)
	}

	closeAndWait(connection)
	return nil
}

// closeAndWait does the closing handshake. The server's answer does not matter.
func closeAndWait(connection *websocket.Conn) {
	sendClose(connection)
	connection.SetReadDeadline(time.Now().Add(closingLimit))
	for {
		if _, _, err := connection.NextReader(); err != nil {
			return
		}
	}
}

func sendClose(connection *websocket.Conn) {
	code := websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")
	connection.WriteMessage(websocket.CloseMessage, code)
}
