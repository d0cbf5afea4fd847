// Receives messages with github.com/coder/websocket, as its documentation shows: Dial, Read for each
// message, Close.
package main

import (
	"context"

	"autostrada/kit"

	"github.com/coder/websocket"
)

func main() { kit.Run(open) }

func open(client *kit.Client) error {
	background := context.Background()
	connection, _, err := websocket.Dial(background, client.URL, nil)
	if err != nil {
		return err
	}
	defer connection.CloseNow()
	// The contract requires messages of up to 16 MiB; the library's default is 32 KiB.
	connection.SetReadLimit(kit.MessageBytesMax)
	counted := client.Opened()
	for {
		messageType, payload, err := connection.Read(background)
		if err != nil {
			if websocket.CloseStatus(err) != -1 || kit.IsEndOfStream(err) {
				return nil
			}
			return err
		}
		switch counted.Received() {
		case kit.Reply:
			connection.Write(background, messageType, payload) // The next read fails as well.
		case kit.Close:
			connection.Close(websocket.StatusNormalClosure, "")
			return nil
		}
	}
}
