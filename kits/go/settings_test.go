package kit

import (
	"math"
	"strings"
	"testing"
	"time"

	"autostrada/kit/environment"
	"autostrada/kit/feed"
)

type given map[string]string

func (g given) variables() *environment.Variables {
	return environment.Of(func(name string) (string, bool) {
		value, isSet := g[name]
		return value, isSet
	})
}

func expectToRead[Settings comparable](
	t *testing.T, read func(*environment.Variables) Settings, given given, want Settings,
) {
	t.Helper()
	variables := given.variables()
	if got := read(variables); variables.Err() != nil || got != want {
		t.Errorf("got %+v, %v; want %+v", got, variables.Err(), want)
	}
}

func TestConnectionsAndLinesHaveDefaults(t *testing.T) {
	expectToRead(t, ReadSettings, given{"URL": "ws://127.0.0.1:8008/5", "MESSAGES": "5"},
		Settings{URL: "ws://127.0.0.1:8008/5", Messages: 5, Connections: 1, Lines: "json"})
}

func TestEverySettingIsRead(t *testing.T) {
	expectToRead(t, ReadSettings, given{
		"URL": "wss://host/", "MESSAGES": "7", "CONNECTIONS": "3", "LINES": "autoroute",
	}, Settings{URL: "wss://host/", Messages: 7, Connections: 3, Lines: "autoroute"})
}

func TestOfAFeedMessagesMayBeLeftOutAndLinesAreNotLookedAt(t *testing.T) {
	values := given{"URL": "ws://host/", "FEED": "clock", "ENCODING": "binary", "LINES": "xml"}
	variables := values.variables()
	settings := ReadSettings(variables)
	if variables.Err() != nil || *settings.Feed != (feed.Format{Kind: "clock", Encoding: "binary"}) {
		t.Fatalf("got %+v, %v", settings, variables.Err())
	}
	if settings.Messages != math.MaxUint64 || settings.Lines != "json" {
		t.Errorf("got %+v", settings)
	}
	values["MESSAGES"] = "3"
	if settings := ReadSettings(values.variables()); settings.Messages != 3 {
		t.Errorf("got %+v", settings)
	}
}

func TestWhatAnExchangeAsksForIsReadAndHasDefaults(t *testing.T) {
	expectToRead(t, ReadEchoSettings, given{"URL": "ws://host/echo", "WINDOW_S": "2"},
		EchoSettings{"ws://host/echo", 1, "hello world", 0, 2 * time.Second})
	expectToRead(t, ReadEchoSettings, given{
		"URL": "ws://host/echo", "CONNECTIONS": "3", "PAYLOAD": "grüezi",
		"WARM_UP_S": "0.5", "WINDOW_S": "1.000000001",
	}, EchoSettings{"ws://host/echo", 3, "grüezi", 500 * time.Millisecond, time.Second + 1})
}

func TestReceivesUnlessItIsToldOtherwise(t *testing.T) {
	expectToRead(t, ReadWorkload, given{}, "receive")
	for _, workload := range []string{"receive", "echo"} {
		expectToRead(t, ReadWorkload, given{"WORKLOAD": workload}, workload)
	}
}

func TestAMissingOrIllFormedVariableIsNamed(t *testing.T) {
	readers := map[string]func(*environment.Variables){
		"receive": func(v *environment.Variables) { ReadSettings(v) },
		"echo":    func(v *environment.Variables) { ReadEchoSettings(v) },
	}
	right := given{"URL": "ws://host/", "MESSAGES": "5", "WINDOW_S": "2"}
	for workload, variables := range map[string]given{
		"receive": {
			"URL": "http://host/", "MESSAGES": "ten", "CONNECTIONS": "0", "LINES": "JSON",
			"FEED": "weather",
		},
		"echo": {"URL": "", "CONNECTIONS": "many", "WARM_UP_S": "-1", "WINDOW_S": "0"},
	} {
		for name, value := range variables {
			values := given{name: value}
			for other, value := range right {
				if other != name {
					values[other] = value
				}
			}
			read := values.variables()
			readers[workload](read)
			if err := read.Err(); err == nil || !strings.HasPrefix(err.Error(), name+` is "`+value+`": give `) {
				t.Errorf("%s, %s=%q: got %v", workload, name, value, err)
			}
		}
	}
}
