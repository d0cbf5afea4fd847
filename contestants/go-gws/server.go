// Echoes, and sends a feed to subscribers, with github.com/lxzan/gws, as its documentation does: Upgrade in a
// handler of net/http, and a ReadLoop that calls the methods of an event handler.
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
		// The contract: off where it is not asked for, which is the library's default.
		PermessageDeflate: gws.PermessageDeflate{Enabled: settings.Deflate},
	})
	return func(response http.ResponseWriter, request *http.Request) {
		socket, err := upgrader.Upgrade(response, request)
		if err != nil {
			return // It has answered with the reason.
		}
		// In a goroutine of its own, so that what belongs to the request can be freed.
		go socket.ReadLoop()
	}
}

// handler answers pings, which the library leaves to its user.
type handler struct{ gws.BuiltinEventHandler }

func (handler) OnPing(socket *gws.Conn, payload []byte) { socket.WritePong(payload) }

type echoing struct{ handler }

func (*echoing) OnMessage(socket *gws.Conn, message *gws.Message) {
	defer message.Close()
	socket.WriteMessage(message.Opcode, message.Bytes())
}
