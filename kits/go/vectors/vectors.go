// Package vectors reads the test vectors that all kits share.
package vectors

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// Vectors are the test vectors, by subject.
type Vectors struct {
	Feeds     []Feed
	Wrong     []Message
	Sequences []Sequence
	// Pairs of an input and its rounded value.
	Roundings [][2]json.Number
	Due       []Due
	Stamps    []Stamp
}

// Message is a message of a feed, as text or as hexadecimal digits.
type Message struct {
	Kind, Encoding string
	Text           *string
	Hex            string
}

// Payload returns the bytes of the message.
func (m Message) Payload(t *testing.T) []byte {
	t.Helper()
	if m.Text != nil {
		return []byte(*m.Text)
	}
	payload, err := hex.DecodeString(m.Hex)
	if err != nil {
		t.Fatal(err)
	}
	return payload
}

// Feed is a message and the values that it encodes.
type Feed struct {
	Message
	Number uint64 `json:",string"`
	TimeNS int64  `json:"time_ns,string"`
	Stocks uint64
}

// Sequence is the numbers of a connection and their verdicts.
type Sequence struct {
	Name     string
	Numbers  []uint64
	Verdicts []string
	Counts   json.RawMessage
}

// Due is an event and the time when it is due.
type Due struct {
	StartNS     int64  `json:"start_ns,string"`
	EveryMS     string `json:"every_ms"`
	Connections uint64
	Connection  uint64
	Event       uint64
	DueNS       int64 `json:"due_ns,string"`
}

// Stamp is an event and its text.
type Stamp struct {
	Event         uint64
	DueNS         int64 `json:"due_ns,string"`
	Payload, Text string
}

// Read reads the test vectors.
func Read(t *testing.T) Vectors {
	t.Helper()
	text, err := os.ReadFile(path("vectors.json"))
	if err != nil {
		t.Fatal(err)
	}
	var vectors Vectors
	if err := json.Unmarshal(text, &vectors); err != nil {
		t.Fatal(err)
	}
	return vectors
}

// StocksFile returns the path of the CSV file of records.
func StocksFile() string { return path("stocks.csv") }

// path returns the path of a file in the folder of all kits.
func path(name string) string {
	_, here, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(here), "..", "..", name)
}
