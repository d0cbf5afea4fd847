package environment

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

func given(name, value string) *Variables {
	return Of(func(requested string) (string, bool) { return value, requested == name })
}

func TestAValueIsRead(t *testing.T) {
	if got := given("N", "5").Count("N", 5); got != 5 {
		t.Errorf("count: got %d", got)
	}
	if got := given("N", "5").CountOr("M", 7, 7); got != 7 {
		t.Errorf("count by default: got %d", got)
	}
	if got := given("S", "1.000000001").Seconds("S"); got != time.Second+1 {
		t.Errorf("seconds: got %v", got)
	}
	if got := given("S", "1").SecondsOr("T", time.Minute); got != time.Minute {
		t.Errorf("seconds by default: got %v", got)
	}
	if got := given("EVERY_MS", "0.000001").Interval(); got != 1 {
		t.Errorf("interval: got %v", got)
	}
	if got := given("C", "b").Choice("C", "a", "b"); got != "b" {
		t.Errorf("choice: got %s", got)
	}
	if got := given("D", "b").Choice("C", "a", "b"); got != "a" {
		t.Errorf("choice by default: got %s", got)
	}
}

func TestAWrongValueIsNamed(t *testing.T) {
	readers := map[string]func(*Variables){
		"N":        func(v *Variables) { v.Count("N", 9) },
		"URL":      func(v *Variables) { v.URL() },
		"WINDOW_S": func(v *Variables) { v.SomeSeconds("WINDOW_S") },
		"EVERY_MS": func(v *Variables) { v.Interval() },
		"C":        func(v *Variables) { v.Choice("C", "a", "b") },
	}
	for name, values := range map[string][]string{
		"N":        {"", "0", "-1", "+1", "1e6", "5 ", "10", "1_0", "18446744073709551616"},
		"URL":      {"", "http://host/", "ws://", "wss:///5"},
		"WINDOW_S": {"", "-1", "1e3", "0", "0.0", "nan", "1000000", ".5", "1.", "0.1234567890"},
		"EVERY_MS": {"", "0", "0.0", "-1", "soon", "0.0000001", "10000000"},
		"C":        {"", "A", "c"},
	} {
		for _, value := range values {
			variables := given(name, value)
			readers[name](variables)
			err := variables.Err()
			if err == nil || !strings.HasPrefix(err.Error(), name+` is "`+value+`": give `) {
				t.Errorf("%s=%q: got %v", name, value, err)
			}
		}
	}
}

func TestAMissingVariableIsNamedAndTheFirstWrongOneIsKept(t *testing.T) {
	variables := given("N", "ten")
	variables.URL()
	variables.Count("N", 9)
	if err := variables.Err(); err == nil || !strings.HasPrefix(err.Error(), "URL is not set: give ") {
		t.Fatalf("got %v", err)
	}
}

func TestAWrongEnvironmentEndsTheProgramWithStatus2AndOneLine(t *testing.T) {
	if os.Getenv("READ") != "" {
		Read(func(variables *Variables) uint64 { return variables.Count("N", 9) })
		return
	}
	program := exec.Command(os.Args[0], "-test.run="+t.Name())
	program.Env = []string{"READ=1", "N=ten"}
	var stderr strings.Builder
	program.Stderr = &stderr
	program.Run() // The error is the exit status, which is checked below.
	status, reason := program.ProcessState.ExitCode(), stderr.String()
	if status != 2 || !strings.HasPrefix(reason, `N is "ten": give `) || strings.Count(reason, "\n") != 1 {
		t.Errorf("got status %d and %q", status, reason)
	}
}
