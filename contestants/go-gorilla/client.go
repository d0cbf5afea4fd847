// Receives messages with github.com/gorilla/websocket, as its documentation shows: Dial, ReadMessage
// for each message, a close message.
package main

import (
	"errors"

	"autostrada/kit"

	"github.com/gorilla/websocket"
)

func main() { kit.Run(open) }

func open(client *kit.Client) error {
	connection, _, err := websocket.DefaultDialer.Dial(client.URL, nil)
	if err != nil {
		return err
	}
	defer connection.Close()
	counted := client.Opened()
	for {
		messageType, payload, err := connection.ReadMessage()
		if err != nil {
			var closed *websocket.CloseError
			if errors.As(err, &closed) || kit.IsEndOfStream(err) {
				return nil
			}
			return err
		}
		switch counted.Received() {
		case kit.Reply:
			connection.WriteMessage(messageType, payload) // The next read fails as well.
		case kit.Close:
			code := websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")
			connection.WriteMessage(websocket.CloseMessage, code)
		}
	}
}
