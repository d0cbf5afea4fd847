// Serves with github.com/lxzan/gws, as its documentation shows: Upgrade in a handler of net/http, and
// a ReadLoop that calls the methods of an event handler; messages to all by a Broadcaster.
package main

import (
	"net/http"
	"sync"

	"autostrada/kit"

	"github.com/lxzan/gws"
)

func main() {
	server := kit.ReadServer()
	subscribers := &subscribing{}
	for path, events := range map[string]gws.Event{
		"/echo": &echoing{}, "/subscribe": subscribers, "/publish": &publishing{to: subscribers},
	} {
		upgrader := gws.NewUpgrader(events, &gws.ServerOption{
			// The contract requires compression to be off by default, which is the library's default.
			PermessageDeflate: gws.PermessageDeflate{Enabled: server.Deflate},
		})
		http.HandleFunc(path, func(response http.ResponseWriter, request *http.Request) {
			socket, err := upgrader.Upgrade(response, request)
			if err != nil {
				return // Upgrade has sent the reason.
			}
			// In its own goroutine, so that the memory of the request can be freed.
			go socket.ReadLoop()
		})
	}
	server.Serve()
}

// handler answers pings, which the library leaves to the program.
type handler struct{ gws.BuiltinEventHandler }

func (handler) OnPing(socket *gws.Conn, payload []byte) { socket.WritePong(payload) }

type echoing struct{ handler }

func (*echoing) OnMessage(socket *gws.Conn, message *gws.Message) {
	defer message.Close()
	socket.WriteMessage(message.Opcode, message.Bytes())
}

type subscribing struct {
	handler
	sockets sync.Map
}

func (s *subscribing) OnOpen(socket *gws.Conn) { s.sockets.Store(socket, nil) }

func (s *subscribing) OnClose(socket *gws.Conn, _ error) { s.sockets.Delete(socket) }

func (s *subscribing) OnMessage(_ *gws.Conn, message *gws.Message) { message.Close() }

type publishing struct {
	handler
	to *subscribing
}

func (p *publishing) OnMessage(_ *gws.Conn, message *gws.Message) {
	defer message.Close()
	broadcaster := gws.NewBroadcaster(message.Opcode, message.Bytes())
	defer broadcaster.Close()
	p.to.sockets.Range(func(socket, _ any) bool {
		broadcaster.Broadcast(socket.(*gws.Conn))
		return true
	})
}
