// Package environment reads and validates single environment variables.
package environment

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Variables reads variables one after another and keeps the first error.
type Variables struct {
	lookUp func(name string) (value string, isSet bool)
	err    error
}

// Of returns variables that are looked up by a function like os.LookupEnv.
func Of(lookUp func(name string) (value string, isSet bool)) *Variables {
	return &Variables{lookUp: lookUp}
}

// Read reads settings from the environment; if a variable is wrong, it ends the program with status
// 2.
func Read[Settings any](read func(*Variables) Settings) Settings {
	variables := Of(os.LookupEnv)
	settings := read(variables)
	if variables.Err() != nil {
		Exit(2, variables.Err())
	}
	return settings
}

// Exit prints the reason on stderr and ends the program.
func Exit(status int, reason error) {
	fmt.Fprintln(os.Stderr, reason)
	os.Exit(status)
}

// Err returns the error of the first wrong variable, or nil.
func (v *Variables) Err() error { return v.err }

// IsSet reports whether a variable is set.
func (v *Variables) IsSet(name string) bool {
	_, isSet := v.lookUp(name)
	return isSet
}

// Required reads a required variable; the error message asks for what.
func (v *Variables) Required(name, what string) string {
	value, isSet := v.lookUp(name)
	if !isSet {
		v.fail("%s is not set: give %s", name, what)
	}
	return value
}

// Optional reads a variable that has a default.
func (v *Variables) Optional(name, byDefault string) string {
	if value, isSet := v.lookUp(name); isSet {
		return value
	}
	return byDefault
}

// URL reads the server's address.
func (v *Variables) URL() string {
	url := v.Required("URL", "the server's address")
	host, isPlain := strings.CutPrefix(url, "ws://")
	if !isPlain {
		host, _ = strings.CutPrefix(url, "wss://")
	}
	if host == url || host == "" || host[0] == '/' {
		v.Wrong("URL", url, "an address such as ws://host:port/path")
	}
	return url
}

// Count reads a required whole number from 1 to countMax.
func (v *Variables) Count(name string, countMax uint64) uint64 {
	return v.parseCount(name, v.Required(name, "a whole number"), countMax)
}

// CountOr is like Count, with a default.
func (v *Variables) CountOr(name string, byDefault, countMax uint64) uint64 {
	if value, isSet := v.lookUp(name); isSet {
		return v.parseCount(name, value, countMax)
	}
	return byDefault
}

func (v *Variables) parseCount(name, value string, countMax uint64) uint64 {
	count, err := strconv.ParseUint(value, 10, 64)
	if err != nil || count == 0 {
		v.Wrong(name, value, "a whole number greater than zero")
	} else if count > countMax {
		v.Wrong(name, value, fmt.Sprintf("at most %d", countMax))
	}
	return count
}

// Seconds reads a required duration, given in seconds.
func (v *Variables) Seconds(name string) time.Duration {
	return v.parseSeconds(name, v.Required(name, "seconds such as 2 or 0.5"))
}

// SecondsOr is like Seconds, with a default.
func (v *Variables) SecondsOr(name string, byDefault time.Duration) time.Duration {
	if value, isSet := v.lookUp(name); isSet {
		return v.parseSeconds(name, value)
	}
	return byDefault
}

// SomeSeconds is like Seconds, and requires a duration greater than 0.
func (v *Variables) SomeSeconds(name string) time.Duration {
	duration := v.Seconds(name)
	if duration == 0 {
		v.Wrong(name, v.Optional(name, ""), "more than 0, or nothing counts")
	}
	return duration
}

var decimalSeconds = regexp.MustCompile(`^[0-9]{1,6}(\.[0-9]{1,9})?$`)

func (v *Variables) parseSeconds(name, value string) time.Duration {
	duration, err := time.ParseDuration(value + "s")
	if err != nil || !decimalSeconds.MatchString(value) {
		v.Wrong(name, value, "seconds such as 2 or 0.5")
	}
	return duration
}

var decimalMilliseconds = regexp.MustCompile(`^[0-9]{1,7}(\.[0-9]{1,6})?$`)

// Interval reads EVERY_MS, the interval of a schedule.
func (v *Variables) Interval() time.Duration {
	value := v.Required("EVERY_MS", "milliseconds such as 50 or 0.5")
	interval, err := time.ParseDuration(value + "ms")
	if err != nil || interval == 0 || !decimalMilliseconds.MatchString(value) {
		v.Wrong("EVERY_MS", value, "milliseconds such as 50 or 0.5")
	}
	return interval
}

// Choice reads a variable with a fixed set of values; the first one is the default.
func (v *Variables) Choice(name string, choices ...string) string {
	value := v.Optional(name, choices[0])
	for _, choice := range choices {
		if value == choice {
			return value
		}
	}
	v.Wrong(name, value, strings.Join(choices, " or "))
	return choices[0]
}

// Wrong records that a value is wrong, and which value to give instead.
func (v *Variables) Wrong(name, value, instead string) {
	v.fail("%s is %q: give %s", name, value, instead)
}

func (v *Variables) fail(format string, values ...any) {
	if v.err == nil {
		v.err = fmt.Errorf(format, values...)
	}
}
