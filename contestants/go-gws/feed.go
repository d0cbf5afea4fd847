// Sends a feed with github.com/lxzan/gws and its Broadcaster.

package main

import (
	"autostrada/kit/serving"

	"github.com/lxzan/gws"
)

type feeding struct {
	handler
	subscribers *serving.Subscribers[*gws.Conn]
}

func (f *feeding) OnOpen(socket *gws.Conn) { f.subscribers.Join(socket) }

func (f *feeding) OnClose(socket *gws.Conn, _ error) { f.subscribers.Leave(socket) }

// OnMessage ignores messages from a subscriber.
func (f *feeding) OnMessage(_ *gws.Conn, message *gws.Message) { message.Close() }

func publish(feed *serving.Feed[*gws.Conn]) {
	for message := range feed.Messages() {
		opcode := gws.OpcodeBinary
		if message.IsText {
			opcode = gws.OpcodeText
		}
		if feed.IsContinuous() {
			// A Broadcaster does not wait, so that no subscriber would limit the send rate.
			for _, socket := range feed.Subscribed() {
				socket.WriteMessage(opcode, message.Payload)
			}
		} else {
			broadcast(feed.Subscribed(), opcode, message.Payload)
		}
	}
	for _, socket := range feed.Subscribed() {
		// Queued after the messages that are still to be written.
		socket.Async(func() { socket.WriteClose(1000, nil) })
	}
}

func broadcast(sockets []*gws.Conn, opcode gws.Opcode, payload []byte) {
	broadcaster := gws.NewBroadcaster(opcode, payload)
	defer broadcaster.Close()
	for _, socket := range sockets {
		broadcaster.Broadcast(socket)
	}
}
