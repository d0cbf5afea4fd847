package kit

import (
	"strings"
	"testing"
	"time"
)

func lookUpIn(environment map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		value, isSet := environment[name]
		return value, isSet
	}
}

func TestConnectionsAndLinesHaveDefaults(t *testing.T) {
	environment := map[string]string{"URL": "ws://127.0.0.1:8008/5", "MESSAGES": "5"}
	settings, err := ParseSettings(lookUpIn(environment))
	want := Settings{URL: "ws://127.0.0.1:8008/5", Messages: 5, Connections: 1, Lines: JSON}
	if err != nil || settings != want {
		t.Fatalf("got %+v, %v; want %+v", settings, err, want)
	}
}

func TestEverySettingIsRead(t *testing.T) {
	settings, err := ParseSettings(lookUpIn(map[string]string{
		"URL": "wss://host/", "MESSAGES": "7", "CONNECTIONS": "3", "LINES": "autoroute",
	}))
	want := Settings{URL: "wss://host/", Messages: 7, Connections: 3, Lines: Autoroute}
	if err != nil || settings != want {
		t.Fatalf("got %+v, %v; want %+v", settings, err, want)
	}
}

func TestAMissingVariableIsNamed(t *testing.T) {
	for _, name := range []string{"URL", "MESSAGES"} {
		environment := map[string]string{"URL": "ws://host/", "MESSAGES": "5"}
		delete(environment, name)
		_, err := ParseSettings(lookUpIn(environment))
		if err == nil || !strings.HasPrefix(err.Error(), name+" is not set") {
			t.Errorf("without %s: got %v", name, err)
		}
	}
}

func TestAnIllFormedVariableIsNamedWithItsValue(t *testing.T) {
	for _, change := range [][2]string{
		{"URL", ""}, {"URL", "http://host/"}, {"URL", "ws://"}, {"URL", "wss:///5"},
		{"MESSAGES", ""}, {"MESSAGES", "0"}, {"MESSAGES", "-1"}, {"MESSAGES", "+1"},
		{"MESSAGES", "1e6"}, {"MESSAGES", "5 "}, {"MESSAGES", "18446744073709551616"},
		{"CONNECTIONS", "0"}, {"CONNECTIONS", "many"}, {"LINES", "JSON"},
	} {
		name, value := change[0], change[1]
		environment := map[string]string{"URL": "ws://host/", "MESSAGES": "5", name: value}
		_, err := ParseSettings(lookUpIn(environment))
		if err == nil || !strings.HasPrefix(err.Error(), name+` is "`+value+`": give `) {
			t.Errorf("%s=%q: got %v", name, value, err)
		}
	}
}

func TestReceivesUnlessItIsToldToExchangeEchoes(t *testing.T) {
	for value, want := range map[string]Workload{"receive": Receive, "echo": Echo} {
		workload, err := ParseWorkload(lookUpIn(map[string]string{"WORKLOAD": value}))
		if err != nil || workload != want {
			t.Errorf("got %q, %v; want %q", workload, err, want)
		}
	}
	if workload, err := ParseWorkload(lookUpIn(nil)); err != nil || workload != Receive {
		t.Errorf("got %q, %v", workload, err)
	}
	_, err := ParseWorkload(lookUpIn(map[string]string{"WORKLOAD": ""}))
	if err == nil || !strings.HasPrefix(err.Error(), `WORKLOAD is "": give `) {
		t.Errorf("got %v", err)
	}
}

func TestWhatAnExchangeAsksForIsReadAndHasDefaults(t *testing.T) {
	environment := map[string]string{"URL": "ws://host/echo", "WINDOW_S": "2"}
	settings, err := ParseEchoSettings(lookUpIn(environment))
	want := EchoSettings{"ws://host/echo", 1, "hello world", 0, 2 * time.Second}
	if err != nil || settings != want {
		t.Fatalf("got %+v, %v; want %+v", settings, err, want)
	}
	settings, err = ParseEchoSettings(lookUpIn(map[string]string{
		"URL": "ws://host/echo", "CONNECTIONS": "3", "PAYLOAD": "grüezi",
		"WARM_UP_S": "0.5", "WINDOW_S": "1.000000001",
	}))
	want = EchoSettings{"ws://host/echo", 3, "grüezi", 500 * time.Millisecond, time.Second + 1}
	if err != nil || settings != want {
		t.Fatalf("got %+v, %v; want %+v", settings, err, want)
	}
}

func TestAMissingOrIllFormedVariableOfAnExchangeIsNamed(t *testing.T) {
	for _, change := range [][2]string{
		{"URL", "http://host/"}, {"CONNECTIONS", "0"},
		{"WARM_UP_S", "-1"}, {"WARM_UP_S", "1e3"}, {"WARM_UP_S", ""},
		{"WINDOW_S", "0"}, {"WINDOW_S", "0.0"}, {"WINDOW_S", "nan"}, {"WINDOW_S", "1000000"},
	} {
		name, value := change[0], change[1]
		environment := map[string]string{"URL": "ws://host/", "WINDOW_S": "2", name: value}
		_, err := ParseEchoSettings(lookUpIn(environment))
		if err == nil || !strings.HasPrefix(err.Error(), name+` is "`+value+`": give `) {
			t.Errorf("%s=%q: got %v", name, value, err)
		}
	}
	_, err := ParseEchoSettings(lookUpIn(map[string]string{"URL": "ws://host/"}))
	if err == nil || !strings.HasPrefix(err.Error(), "WINDOW_S is not set") {
		t.Errorf("got %v", err)
	}
}
