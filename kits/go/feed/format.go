// Package feed encodes, decodes and checks the messages of a feed: docs/contract.md, section 7.
package feed

import (
	"bytes"
	"encoding/binary"
	"math"
	"strconv"

	"autostrada/kit/environment"
)

const (
	greeting  = "hello world"
	numberEnd = 1 << 53
	headBytes = 8 + 8 + 4
	// Four prices and a volume.
	recordBytes = 5 * 8
)

// Message is one message of a feed.
type Message struct {
	IsText  bool
	Payload []byte
}

// Heading is the sequence number and the time in a message; 0 if its kind has none.
type Heading struct {
	Number uint64
	TimeNS int64
}

// Format is the kind and the encoding of a feed's messages.
type Format struct{ Kind, Encoding string }

// ReadFormat reads the variables of a feed; it returns nil if FEED is not set.
func ReadFormat(variables *environment.Variables) *Format {
	if !variables.IsSet("FEED") {
		return nil
	}
	return &Format{
		Kind:     variables.Choice("FEED", "hello", "sequence", "clock", "stocks"),
		Encoding: variables.Choice("ENCODING", "json", "binary"),
	}
}

// HasNumber reports whether a message contains its sequence number.
func (f Format) HasNumber() bool { return f.Kind == "sequence" || f.Kind == "stocks" }

// HasInstant reports whether a message contains a time.
func (f Format) HasInstant() bool { return f.Kind == "clock" || f.Kind == "stocks" }

func (f Format) isText() bool { return f.Encoding == "json" }

// Encode returns an encoded message. Only messages of kind stocks use the records.
func (f Format) Encode(heading Heading, stocks []Stock) Message {
	var payload []byte
	switch f.Kind {
	case "hello":
		payload = []byte(greeting)
	case "sequence":
		payload = f.encodeValue(heading.Number)
	case "clock":
		payload = f.encodeValue(uint64(heading.TimeNS))
	case "stocks":
		payload = f.encodeStocks(heading, stocks)
	}
	return Message{f.isText(), payload}
}

func (f Format) encodeValue(value uint64) []byte {
	if f.isText() {
		return strconv.AppendUint(nil, value, 10)
	}
	return binary.BigEndian.AppendUint64(nil, value)
}

func (f Format) encodeStocks(heading Heading, stocks []Stock) []byte {
	if f.isText() {
		payload := append([]byte(nil), `{"sequence":`...)
		payload = strconv.AppendUint(payload, heading.Number, 10)
		payload = append(payload, `,"time_ns":`...)
		payload = strconv.AppendInt(payload, heading.TimeNS, 10)
		payload = append(payload, `,"stocks":[`...)
		for i, stock := range stocks {
			if i > 0 {
				payload = append(payload, ',')
			}
			payload = stock.appendJSON(payload)
		}
		return append(payload, `]}`...)
	}
	payload := make([]byte, 0, headBytes+len(stocks)*recordBytes)
	payload = binary.BigEndian.AppendUint64(payload, heading.Number)
	payload = binary.BigEndian.AppendUint64(payload, uint64(heading.TimeNS))
	payload = binary.BigEndian.AppendUint32(payload, uint32(len(stocks)))
	for _, stock := range stocks {
		payload = stock.appendBinary(payload)
	}
	return payload
}

// Decode returns the message's number and time, and whether it is a message of this feed.
func (f Format) Decode(message Message) (heading Heading, isRight bool) {
	if message.IsText != f.isText() {
		return heading, false
	}
	var number, timeNS uint64
	switch f.Kind {
	case "hello":
		isRight = string(message.Payload) == greeting
	case "sequence":
		number, isRight = f.decodeValue(message.Payload)
	case "clock":
		timeNS, isRight = f.decodeValue(message.Payload)
	case "stocks":
		number, timeNS, isRight = f.decodeStocks(message.Payload)
	}
	isRight = isRight && number < numberEnd && timeNS <= math.MaxInt64
	return Heading{number, int64(timeNS)}, isRight
}

func (f Format) decodeValue(payload []byte) (value uint64, isRight bool) {
	if f.isText() {
		value, rest, isRight := cutNumber(payload)
		return value, isRight && len(rest) == 0
	}
	if len(payload) != 8 {
		return 0, false
	}
	return binary.BigEndian.Uint64(payload), true
}

func (f Format) decodeStocks(payload []byte) (number, timeNS uint64, isRight bool) {
	if f.isText() {
		rest, hasKey := bytes.CutPrefix(payload, []byte(`{"sequence":`))
		number, rest, hasNumber := cutNumber(rest)
		rest, hasTimeKey := bytes.CutPrefix(rest, []byte(`,"time_ns":`))
		timeNS, rest, hasTime := cutNumber(rest)
		rest, hasStocks := bytes.CutPrefix(rest, []byte(`,"stocks":[`))
		isRight := hasKey && hasNumber && hasTimeKey && hasTime && hasStocks
		return number, timeNS, isRight && bytes.HasSuffix(rest, []byte(`]}`))
	}
	if len(payload) < headBytes {
		return 0, 0, false
	}
	number = binary.BigEndian.Uint64(payload)
	timeNS = binary.BigEndian.Uint64(payload[8:])
	records := int(binary.BigEndian.Uint32(payload[16:]))
	return number, timeNS, len(payload) == headBytes+records*recordBytes
}

// cutNumber removes the digits at the front: at most 19 and without leading zeros, so that they fit
// into 64 bits.
func cutNumber(payload []byte) (value uint64, rest []byte, isNumber bool) {
	length := 0
	for length < len(payload) && isDigit(payload[length]) && length < 20 {
		value = value*10 + uint64(payload[length]-'0')
		length++
	}
	isNumber = length == 1 || 1 < length && length < 20 && payload[0] != '0'
	return value, payload[length:], isNumber
}

func isDigit(character byte) bool { return '0' <= character && character <= '9' }
