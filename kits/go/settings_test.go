package kit

import (
	"strings"
	"testing"
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
