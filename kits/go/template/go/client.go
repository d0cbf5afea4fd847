// Receives messages with LIBRARY, as its documentation shows.
package main

import (
	"errors"

	"autostrada/kit"
)

func main() { kit.Run(open) }

func open(client *kit.Client) error {
	connection, err := dial(client.URL)
	if err != nil {
		return err
	}
	defer connection.Close()
	counted := client.Opened()
	for {
		message, err := connection.Read()
		if err != nil {
			if kit.IsEndOfStream(err) { // LIBRARY: or if the server has closed the connection.
				return nil
			}
			return err
		}
		switch counted.Received() {
		case kit.Reply:
			connection.Write(message)
		case kit.Close:
			return nil // LIBRARY: after the closing handshake with code 1000.
		}
	}
}

// connection has the methods of the library's.
type connection interface {
	Read() (message []byte, err error)
	Write(message []byte) error
	Close() error
}

// LIBRARY: connect without compression, for messages of up to kit.MessageBytesMax.
func dial(string) (connection, error) {
	return nil, errors.New("client.go lacks the calls of the library")
}
