// What the environment asks of a client: docs/contract.md, sections 3 and 5.

package kit

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Lines says which lines a client prints.
type Lines string

const (
	JSON      Lines = "json"
	Autoroute Lines = "autoroute"
)

// Workload says what a client does.
type Workload string

const (
	Receive Workload = "receive"
	Echo    Workload = "echo"
)

// Settings are what the environment asks of a client that receives.
type Settings struct {
	URL         string
	Messages    uint64
	Connections uint64
	Lines       Lines
}

// EchoSettings are what the environment asks of a client that exchanges echoes.
type EchoSettings struct {
	URL            string
	Connections    uint64
	Payload        string
	WarmUp, Window time.Duration
}

type lookUp = func(name string) (value string, isSet bool)

// ParseWorkload reads the workload from a variable looked up as os.LookupEnv does it.
func ParseWorkload(lookUp lookUp) (Workload, error) {
	value, isSet := lookUp("WORKLOAD")
	workload := Workload(value)
	if !isSet {
		workload = Receive
	}
	if workload != Receive && workload != Echo {
		return "", fmt.Errorf("WORKLOAD is %q: give receive or echo", value)
	}
	return workload, nil
}

// ParseSettings reads the settings from variables looked up as os.LookupEnv does it.
func ParseSettings(lookUp lookUp) (Settings, error) {
	settings := Settings{Lines: JSON}
	var err error
	if settings.URL, err = parseURL(lookUp); err != nil {
		return settings, err
	}

	messages, isSet := lookUp("MESSAGES")
	if !isSet {
		return settings, fmt.Errorf("MESSAGES is not set: give how many to receive")
	}
	if settings.Messages, err = parseCount("MESSAGES", messages); err != nil {
		return settings, err
	}

	if settings.Connections, err = parseConnections(lookUp); err != nil {
		return settings, err
	}

	if lines, isSet := lookUp("LINES"); isSet {
		settings.Lines = Lines(lines)
		if settings.Lines != JSON && settings.Lines != Autoroute {
			return settings, fmt.Errorf("LINES is %q: give json or autoroute", lines)
		}
	}
	return settings, nil
}

// ParseEchoSettings does the same for a client that exchanges echoes.
func ParseEchoSettings(lookUp lookUp) (EchoSettings, error) {
	settings := EchoSettings{Payload: "hello world"}
	var err error
	if settings.URL, err = parseURL(lookUp); err != nil {
		return settings, err
	}
	if settings.Connections, err = parseConnections(lookUp); err != nil {
		return settings, err
	}
	if payload, isSet := lookUp("PAYLOAD"); isSet {
		settings.Payload = payload
	}
	if warmUp, isSet := lookUp("WARM_UP_S"); isSet {
		if settings.WarmUp, err = parseSeconds("WARM_UP_S", warmUp); err != nil {
			return settings, err
		}
	}
	window, isSet := lookUp("WINDOW_S")
	if !isSet {
		return settings, fmt.Errorf("WINDOW_S is not set: give how many seconds count")
	}
	if settings.Window, err = parseSeconds("WINDOW_S", window); err != nil {
		return settings, err
	}
	if settings.Window == 0 {
		return settings, fmt.Errorf("WINDOW_S is %q: give more than 0, or nothing counts", window)
	}
	return settings, nil
}

func parseURL(lookUp lookUp) (string, error) {
	url, isSet := lookUp("URL")
	if !isSet {
		return "", fmt.Errorf("URL is not set: give the server's address")
	}
	host, isPlain := strings.CutPrefix(url, "ws://")
	if !isPlain {
		host, _ = strings.CutPrefix(url, "wss://")
	}
	if host == url || host == "" || host[0] == '/' {
		return "", fmt.Errorf("URL is %q: give an address such as ws://host:port/path", url)
	}
	return url, nil
}

func parseConnections(lookUp lookUp) (uint64, error) {
	connections, isSet := lookUp("CONNECTIONS")
	if !isSet {
		return 1, nil
	}
	return parseCount("CONNECTIONS", connections)
}

func parseCount(name, value string) (uint64, error) {
	count, err := strconv.ParseUint(value, 10, 64)
	if err != nil || count == 0 {
		return 0, fmt.Errorf("%s is %q: give a whole number greater than zero", name, value)
	}
	return count, nil
}

var decimalNumber = regexp.MustCompile(`^[0-9]{1,6}(\.[0-9]{1,9})?$`)

func parseSeconds(name, value string) (time.Duration, error) {
	if !decimalNumber.MatchString(value) {
		return 0, fmt.Errorf("%s is %q: give seconds such as 2 or 0.5", name, value)
	}
	return time.ParseDuration(value + "s")
}
