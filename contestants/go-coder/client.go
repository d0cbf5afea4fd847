// Receives the messages that a server pushes with github.com/coder/websocket, as its documentation
// shows: Dial, Read for each message, Close.
package main

import (
	"context"

	"autostrada/kit"

	"github.com/coder/websocket"
)

// The contract requires messages of up to 16 MiB; the library's default is 32 KiB.
const payloadBytesMax = 16 * 1024 * 1024

func main() {
	kit.Run(receive, echo)
}

func receive(receiver *kit.Receiver) error {
	background := context.Background()
	connection, _, err := websocket.Dial(background, receiver.URL(), nil)
	if err != nil {
		return err
	}
	defer connection.CloseNow()
	connection.SetReadLimit(payloadBytesMax)

	counter := receiver.Opened()
	for isAll := false; !isAll; {
		messageType, payload, err := connection.Read(background)
		if err != nil {
			if websocket.CloseStatus(err) != -1 || kit.IsEndOfStream(err) {
				return nil // The server closed early.
			}
			return err
		}
		isAll = counter.Received(messageType == websocket.MessageText, payload)
	}

	// The server checks how the connection closes.
	connection.Close(websocket.StatusNormalClosure, "")
	return nil
}
