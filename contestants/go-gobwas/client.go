// Receives messages with github.com/gobwas/ws, as its documentation shows: Dial, ReadServerData and
// WriteClientMessage for each message.
package main

import (
	"context"
	"errors"
	"io"

	"autostrada/kit"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"
)

func main() { kit.Run(open) }

func open(client *kit.Client) error {
	connection, buffered, _, err := ws.Dial(context.Background(), client.URL)
	if err != nil {
		return err
	}
	defer connection.Close()
	counted := client.Opened()
	stream := struct {
		io.Reader
		io.Writer
	}{connection, connection}
	if buffered != nil {
		stream.Reader = buffered // Messages may have arrived together with the handshake.
	}
	for {
		message, code, err := wsutil.ReadServerData(stream)
		if err != nil {
			if errors.As(err, &wsutil.ClosedError{}) || kit.IsEndOfStream(err) {
				return nil
			}
			return err
		}
		switch counted.Received() {
		case kit.Reply:
			err = wsutil.WriteClientMessage(stream, code, message)
		case kit.Close:
			err = wsutil.WriteClientMessage(stream, ws.OpClose, ws.NewCloseFrameBody(ws.StatusNormalClosure, ""))
		}
		if err != nil && !kit.IsEndOfStream(err) {
			return err
		}
	}
}
