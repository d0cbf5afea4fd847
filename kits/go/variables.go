// Reads the environment variables of a program: docs/contract.md. If one is wrong, it ends the
// program with status 2.

package kit

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// exit prints the reason on stderr and ends the program.
func exit(status int, reason error) {
	fmt.Fprintln(os.Stderr, reason)
	os.Exit(status)
}

func refuse(format string, values ...any) {
	exit(2, fmt.Errorf(format, values...))
}

func text(name, byDefault string) string {
	if value, isSet := os.LookupEnv(name); isSet {
		return value
	}
	return byDefault
}

func required(name string) string {
	value, isSet := os.LookupEnv(name)
	if !isSet {
		refuse("%s is not set", name)
	}
	return value
}

// count reads a whole number from 1 to countMax; a default of 0 means that it is required.
func count(name string, byDefault, countMax uint64) uint64 {
	if _, isSet := os.LookupEnv(name); !isSet && byDefault > 0 {
		return byDefault
	}
	value := required(name)
	number, err := strconv.ParseUint(value, 10, 64)
	if err != nil || number == 0 || number > countMax {
		refuse("%s is %q: give a whole number from 1 to %d", name, value, countMax)
	}
	return number
}

// choice reads a variable with a fixed set of values; the first one is the default.
func choice(name string, choices ...string) string {
	value := text(name, choices[0])
	if !slices.Contains(choices, value) {
		refuse("%s is %q: give %s", name, value, strings.Join(choices, " or "))
	}
	return value
}

// serverURL reads the server's address.
func serverURL() string {
	url := required("URL")
	_, address, _ := strings.Cut(url, "://")
	isKnown := strings.HasPrefix(url, "ws://") || strings.HasPrefix(url, "wss://")
	if !isKnown || address == "" || address[0] == '/' {
		refuse("URL is %q: give an address such as ws://host:port/path", url)
	}
	return url
}
