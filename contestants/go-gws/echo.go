// Exchanges echoes with github.com/lxzan/gws: the message handler sends the next message.

package main

import (
	"autostrada/kit"

	"github.com/lxzan/gws"
)

type exchanging struct {
	handler
	exchanger *kit.Exchanger
	isOver    bool
}

func echo(exchanger *kit.Exchanger) error {
	events := &exchanging{exchanger: exchanger}
	socket, _, err := gws.NewClient(events, &gws.ClientOption{Addr: exchanger.URL()})
	if err != nil {
		return err
	}
	socket.ReadLoop()
	if !events.isOver {
		return events.reason
	}
	return nil
}

func (e *exchanging) OnOpen(socket *gws.Conn) {
	e.exchanger.Opened()
	e.send(socket)
}

func (e *exchanging) OnMessage(socket *gws.Conn, message *gws.Message) {
	defer message.Close()
	if e.isOver {
		return
	}
	if e.exchanger.Answered(message.Opcode == gws.OpcodeText, message.Bytes()) {
		e.send(socket)
	} else {
		e.isOver = true
		socket.WriteClose(1000, nil)
	}
}

// send ignores its error, because the library reports it to OnClose as well.
func (e *exchanging) send(socket *gws.Conn) {
	socket.WriteMessage(gws.OpcodeText, e.exchanger.Payload())
}
