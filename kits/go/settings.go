// Reads the environment variables of a client: docs/contract.md, sections 3, 5 and 7.

package kit

import (
	"math"
	"time"

	"autostrada/kit/environment"
	"autostrada/kit/feed"
)

// The default of PAYLOAD.
const greeting = "hello world"

// Settings are the settings of a client that receives.
type Settings struct {
	URL string
	// Messages per connection; the largest value: until the server closes.
	Messages    uint64
	Connections uint64
	Lines       string
	Feed        *feed.Format
}

// EchoSettings are the settings of a client that exchanges echoes.
type EchoSettings struct {
	URL            string
	Connections    uint64
	Payload        string
	WarmUp, Window time.Duration
}

// ReadWorkload reads the client's workload.
func ReadWorkload(variables *environment.Variables) string {
	return variables.Choice("WORKLOAD", "receive", "echo")
}

// ReadSettings reads the variables of a client that receives.
func ReadSettings(variables *environment.Variables) Settings {
	settings := Settings{
		URL:         variables.URL(),
		Messages:    math.MaxUint64,
		Connections: readConnections(variables),
		Lines:       "json",
		Feed:        feed.ReadFormat(variables),
	}
	if settings.Feed == nil {
		settings.Lines = variables.Choice("LINES", "json", "autoroute")
	}
	if settings.Feed == nil || variables.IsSet("MESSAGES") {
		settings.Messages = variables.Count("MESSAGES", math.MaxUint64)
	}
	return settings
}

// ReadEchoSettings reads the variables of a client that exchanges echoes.
func ReadEchoSettings(variables *environment.Variables) EchoSettings {
	return EchoSettings{
		URL:         variables.URL(),
		Connections: readConnections(variables),
		Payload:     variables.Optional("PAYLOAD", greeting),
		WarmUp:      variables.SecondsOr("WARM_UP_S", 0),
		Window:      variables.SomeSeconds("WINDOW_S"),
	}
}

func readConnections(variables *environment.Variables) uint64 {
	return variables.CountOr("CONNECTIONS", 1, math.MaxUint64)
}
