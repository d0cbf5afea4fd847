// Reads the environment variables of a program: docs/contract.md.

package kit

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// variables reads variables one after another and keeps the first error.
type variables struct {
	lookUp func(name string) (value string, isSet bool)
	err    error
}

// readOrExit reads settings from the environment; if a variable is wrong, it ends the program with
// status 2.
func readOrExit[Settings any](read func(*variables) Settings) Settings {
	given := &variables{lookUp: os.LookupEnv}
	settings := read(given)
	if given.err != nil {
		exit(2, given.err)
	}
	return settings
}

// exit prints the reason on stderr and ends the program.
func exit(status int, reason error) {
	fmt.Fprintln(os.Stderr, reason)
	os.Exit(status)
}

func (v *variables) text(name, byDefault string) string {
	if value, isSet := v.lookUp(name); isSet {
		return value
	}
	return byDefault
}

func (v *variables) required(name string) string {
	value, isSet := v.lookUp(name)
	if !isSet {
		v.fail("%s is not set", name)
	}
	return value
}

// count reads a whole number from 1 to countMax; a default of 0 means that it is required.
func (v *variables) count(name string, byDefault, countMax uint64) uint64 {
	value, isSet := v.lookUp(name)
	if !isSet && byDefault > 0 {
		return byDefault
	}
	number, err := strconv.ParseUint(v.required(name), 10, 64)
	if v.err == nil && (err != nil || number == 0 || number > countMax) {
		v.fail("%s is %q: give a whole number from 1 to %d", name, value, countMax)
	}
	return number
}

// choice reads a variable with a fixed set of values; the first one is the default.
func (v *variables) choice(name string, choices ...string) string {
	value := v.text(name, choices[0])
	for _, choice := range choices {
		if value == choice {
			return value
		}
	}
	v.fail("%s is %q: give %s", name, value, strings.Join(choices, " or "))
	return value
}

func (v *variables) url() string {
	url := v.required("URL")
	_, address, _ := strings.Cut(url, "://")
	isKnown := strings.HasPrefix(url, "ws://") || strings.HasPrefix(url, "wss://")
	if !isKnown || address == "" || address[0] == '/' {
		v.fail("URL is %q: give an address such as ws://host:port/path", url)
	}
	return url
}

func (v *variables) fail(format string, values ...any) {
	if v.err == nil {
		v.err = fmt.Errorf(format, values...)
	}
}
