// Receives messages with github.com/lxzan/gws, as its documentation shows: an event handler for each
// connection, NewClient, ReadLoop.
package main

import (
	"errors"

	"autostrada/kit"

	"github.com/lxzan/gws"
)

func main() { kit.Run(open) }

type handler struct {
	gws.BuiltinEventHandler
	client    *kit.Client
	counted   *kit.Connection
	isClosing bool
	reason    error
}

func open(client *kit.Client) error {
	events := &handler{client: client}
	socket, _, err := gws.NewClient(events, &gws.ClientOption{Addr: client.URL})
	if err != nil {
		return err
	}
	socket.ReadLoop()
	var closed *gws.CloseError
	if events.isClosing || errors.As(events.reason, &closed) || kit.IsEndOfStream(events.reason) {
		return nil
	}
	return events.reason
}

func (h *handler) OnOpen(*gws.Conn) { h.counted = h.client.Opened() }

// OnPing answers, which the library leaves to the program.
func (h *handler) OnPing(socket *gws.Conn, payload []byte) { socket.WritePong(payload) }

func (h *handler) OnMessage(socket *gws.Conn, message *gws.Message) {
	defer message.Close()
	switch h.counted.Received() {
	case kit.Reply:
		socket.WriteMessage(message.Opcode, message.Bytes()) // OnClose gets its error.
	case kit.Close:
		h.isClosing = true
		socket.WriteClose(1000, nil)
	}
}

func (h *handler) OnClose(_ *gws.Conn, reason error) { h.reason = reason }
