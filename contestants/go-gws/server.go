// Echoes messages and sends a feed with github.com/lxzan/gws, as its documentation shows: Upgrade
// in a handler of net/http, and a ReadLoop that calls the methods of an event handler.
package main

import (
	"net/http"

	"autostrada/kit/serving"

	"github.com/lxzan/gws"
)

func main() {
	settings := serving.FromEnvironment()
	handlers := http.NewServeMux()
	handlers.Handle("/echo", upgrading(settings, &echoing{}))
	if settings.Feed != nil {
		subscribers := serving.NewSubscribers(*settings.Feed, publish)
		handlers.Handle("/feed", upgrading(settings, &feeding{subscribers: subscribers}))
	}
	serving.Serve(settings, handlers)
}

func upgrading(settings serving.Settings, events gws.Event) http.HandlerFunc {
	upgrader := gws.NewUpgrader(events, &gws.ServerOption{
		// The contract requires compression to be off by default, which is the library's default.
		PermessageDeflate: gws.PermessageDeflate{Enabled: settings.Deflate},
	})
	return func(response http.ResponseWriter, request *http.Request) {
		socket, err := upgrader.Upgrade(response, request)
		if err != nil {
			return // Upgrade has sent the reason.
		}
		// In its own goroutine, so that the memory of the request can be freed.
		go socket.ReadLoop()
	}
}

// handler answers pings, which the library leaves to the program.
type handler struct{ gws.BuiltinEventHandler }

func (handler) OnPing(socket *gws.Conn, payload []byte) { socket.WritePong(payload) }

type echoing struct{ handler }

func (*echoing) OnMessage(socket *gws.Conn, message *gws.Message) {
	defer message.Close()
	socket.WriteMessage(message.Opcode, message.Bytes())
}
