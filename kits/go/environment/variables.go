// Package environment reads single variables, or says which one is wrong.
package environment

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Variables reads variables one after another, and keeps what is wrong with the first wrong one.
type Variables struct {
	lookUp func(name string) (value string, isSet bool)
	err    error
}

// Of makes variables that are looked up as os.LookupEnv does it.
func Of(lookUp func(name string) (value string, isSet bool)) *Variables {
	return &Variables{lookUp: lookUp}
}

// Read reads settings from the environment; where it is wrong, the program ends with status 2.
func Read[Settings any](read func(*Variables) Settings) Settings {
	variables := Of(os.LookupEnv)
	settings := read(variables)
	if variables.Err() != nil {
		Exit(2, variables.Err())
	}
	return settings
}

// Exit ends the program with the reason.
func Exit(status int, reason error) {
	fmt.Fprintln(os.Stderr, reason)
	os.Exit(status)
}

// Err says what is wrong with the first wrong variable, or is nil.
func (v *Variables) Err() error { return v.err }

// IsSet tells whether a variable is there.
func (v *Variables) IsSet(name string) bool {
	_, isSet := v.lookUp(name)
	return isSet
}

// Required reads a variable that must be there; what says what to give.
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

// URL reads where to connect.
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

// Count reads a whole number, at least 1 and at most countMax.
func (v *Variables) Count(name string, countMax uint64) uint64 {
	return v.parseCount(name, v.Required(name, "a whole number"), countMax)
}

// CountOr does the same where there is a default.
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

// Seconds reads a duration.
func (v *Variables) Seconds(name string) time.Duration {
	return v.parseSeconds(name, v.Required(name, "seconds such as 2 or 0.5"))
}

// SecondsOr does the same where there is a default.
func (v *Variables) SecondsOr(name string, byDefault time.Duration) time.Duration {
	if value, isSet := v.lookUp(name); isSet {
		return v.parseSeconds(name, value)
	}
	return byDefault
}

// SomeSeconds reads a duration that must be more than 0.
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

// Interval reads the interval of a schedule.
func (v *Variables) Interval() time.Duration {
	value := v.Required("EVERY_MS", "milliseconds such as 50 or 0.5")
	interval, err := time.ParseDuration(value + "ms")
	if err != nil || interval == 0 || !decimalMilliseconds.MatchString(value) {
		v.Wrong("EVERY_MS", value, "milliseconds such as 50 or 0.5")
	}
	return interval
}

// Choice reads one of few values; the first is the default.
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

// Wrong says that a value is wrong, and what to give instead.
func (v *Variables) Wrong(name, value, instead string) {
	v.fail("%s is %q: give %s", name, value, instead)
}

func (v *Variables) fail(format string, values ...any) {
	if v.err == nil {
		v.err = fmt.Errorf(format, values...)
	}
}
