// Receives what a server pushes with github.com/gorilla/websocket, as its documentation does:
// Dial, ReadMessage for each message, a message to close.
package main

import (
	"errors"
	"time"

	"autostrada/kit"

	"github.com/gorilla/websocket"
)

// So long the library's example waits for the server to close the connection.
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

// closeAndWait does the closing handshake. How the server answers does not matter.
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
