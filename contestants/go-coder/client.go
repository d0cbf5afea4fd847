// Receives what a server pushes with github.com/coder/websocket, as its documentation does:
// Dial, Read for each message, Close.
package main

import (
	"context"

	"autostrada/kit"

	"github.com/coder/websocket"
)

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

	counter := receiver.StartCounting()
	for wantsMore := true; wantsMore; {
		_, payload, err := connection.Read(background)
		if err != nil {
			if websocket.CloseStatus(err) != -1 || kit.IsEndOfStream(err) {
				return nil // The server closed early.
			}
			return err
		}
		wantsMore = counter.Count(len(payload))
	}

	// Whether the server answers the close is for the server to judge.
	connection.Close(websocket.StatusNormalClosure, "")
	return nil
}
