// Receives the messages that a server pushes with github.com/lxzan/gws, as its documentation shows:
// an event handler for each connection, NewClient, ReadLoop.
package main

import (
	"errors"

	"autostrada/kit"

	"github.com/lxzan/gws"
)

func main() {
	kit.Run(receive, echo)
}

// handler answers pings, which the library leaves to the program, and stores how the connection
// ended.
type handler struct {
	gws.BuiltinEventHandler
	reason error
}

func (h *handler) OnPing(socket *gws.Conn, payload []byte) { socket.WritePong(payload) }

func (h *handler) OnClose(_ *gws.Conn, reason error) { h.reason = reason }

type receiving struct {
	handler
	receiver *kit.Receiver
	counter  *kit.Counter
	isAll    bool
}

func receive(receiver *kit.Receiver) error {
	events := &receiving{receiver: receiver}
	socket, _, err := gws.NewClient(events, &gws.ClientOption{Addr: receiver.URL()})
	if err != nil {
		return err
	}
	socket.ReadLoop()
	// The server checks whether all messages arrived; it may have closed early.
	var closed *gws.CloseError
	if events.isAll || errors.As(events.reason, &closed) || kit.IsEndOfStream(events.reason) {
		return nil
	}
	return events.reason
}

func (r *receiving) OnOpen(*gws.Conn) { r.counter = r.receiver.Opened() }

func (r *receiving) OnMessage(socket *gws.Conn, message *gws.Message) {
	defer message.Close()
	r.isAll = r.counter.Received(message.Opcode == gws.OpcodeText, message.Bytes())
	if r.isAll {
		socket.WriteClose(1000, nil)
	}
}
