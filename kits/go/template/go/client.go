// Receives the messages that a server pushes with LIBRARY, as its documentation shows.
package main

import (
	"errors"

	"autostrada/kit"
)

func main() {
	kit.Run(receive, echo)
}

func receive(receiver *kit.Receiver) error {
	// LIBRARY: open a connection to receiver.URL(), without compression, for messages of up to 16 MiB.
	if err := errors.New("client.go lacks the calls of the library"); err != nil {
		return err
	}

	counter := receiver.Opened()
	for isAll := false; !isAll; {
		// LIBRARY: read a message.
		var isText bool
		var payload []byte
		var err error
		if err != nil {
			if kit.IsEndOfStream(err) {
				return nil // The server closed early.
			}
			return err
		}
		isAll = counter.Received(isText, payload)
	}
	// LIBRARY: start the closing handshake with code 1000.
	return nil
}

// The first tier requires only receiving; echoes are optional.
func echo(*kit.Exchanger) error { return errors.New("this client has no echo") }
