// What the environment asks of a client: docs/contract.md, section 3.

package kit

import (
	"fmt"
	"strconv"
	"strings"
)

// Lines says which lines a client prints.
type Lines string

const (
	JSON      Lines = "json"
	Autoroute Lines = "autoroute"
)

// Settings are what the environment asks of a client.
type Settings struct {
	URL         string
	Messages    uint64
	Connections uint64
	Lines       Lines
}

// ParseSettings reads the settings from variables looked up as os.LookupEnv does it.
func ParseSettings(lookUp func(name string) (value string, isSet bool)) (Settings, error) {
	settings := Settings{Connections: 1, Lines: JSON}

	url, isSet := lookUp("URL")
	if !isSet {
		return settings, fmt.Errorf("URL is not set: give the server's address")
	}
	host, isPlain := strings.CutPrefix(url, "ws://")
	if !isPlain {
		host, _ = strings.CutPrefix(url, "wss://")
	}
	if host == url || host == "" || host[0] == '/' {
		return settings, fmt.Errorf("URL is %q: give an address such as ws://host:port/path", url)
	}
	settings.URL = url

	messages, isSet := lookUp("MESSAGES")
	if !isSet {
		return settings, fmt.Errorf("MESSAGES is not set: give how many to receive")
	}
	var err error
	if settings.Messages, err = parseCount("MESSAGES", messages); err != nil {
		return settings, err
	}

	if connections, isSet := lookUp("CONNECTIONS"); isSet {
		if settings.Connections, err = parseCount("CONNECTIONS", connections); err != nil {
			return settings, err
		}
	}

	if lines, isSet := lookUp("LINES"); isSet {
		settings.Lines = Lines(lines)
		if settings.Lines != JSON && settings.Lines != Autoroute {
			return settings, fmt.Errorf("LINES is %q: give json or autoroute", lines)
		}
	}
	return settings, nil
}

func parseCount(name, value string) (uint64, error) {
	count, err := strconv.ParseUint(value, 10, 64)
	if err != nil || count == 0 {
		return 0, fmt.Errorf("%s is %q: give a whole number greater than zero", name, value)
	}
	return count, nil
}
