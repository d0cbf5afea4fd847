// Package kit is shared by the Go contestants: it reads the variables, counts and prints the result
// of a client, and listens for a server, as docs/contract.md says.
package kit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// Action is what a client does after a message.
type Action int

const (
	// Continue receives the next message.
	Continue Action = iota
	// Reply sends the message back.
	Reply
	// Close starts the closing handshake with code 1000.
	Close
)

// Client has the settings of a client, and its connections.
type Client struct {
	// URL is the server's address.
	URL string

	isReplying  bool
	connections uint64
	messages    uint64

	lock     sync.Mutex
	opened   []*Connection
	openedNS int64
}

// Connection counts the messages of one connection. It must be used by one goroutine at a time.
type Connection struct {
	client     *Client
	messages   uint64
	receivedNS int64
	// Keeps different connections on different cache lines.
	_ [128]byte
}

// Run calls a function once per connection, each in its own goroutine, and prints the result. The
// function opens the connection and returns when it has ended; an error ends the program.
func Run(open func(*Client) error) {
	client := &Client{
		URL:         serverURL(),
		isReplying:  choice("VERB", "count", "reply") == "reply",
		connections: count("CONNECTIONS", 1, math.MaxInt32),
		messages:    count("MESSAGES", math.MaxUint64, math.MaxUint64),
	}
	var working sync.WaitGroup
	for range client.connections {
		working.Add(1)
		go func() {
			defer working.Done()
			if err := open(client); err != nil {
				exit(1, err)
			}
		}()
	}
	working.Wait()
	client.printResult()
}

// Opened must be called as soon as the library reports that a connection is open.
func (c *Client) Opened() *Connection {
	c.lock.Lock()
	defer c.lock.Unlock()
	connection := &Connection{client: c}
	c.opened = append(c.opened, connection)
	if len(c.opened) == 1 {
		c.openedNS = nowNS()
	}
	return connection
}

// Received counts a message, and returns what to do then.
func (c *Connection) Received() Action {
	client := c.client
	if client.isReplying {
		c.messages++
		return Reply
	}
	if c.messages == client.messages {
		return Continue // The library may deliver more while the connection closes.
	}
	c.messages++
	if c.messages < client.messages {
		return Continue
	}
	c.receivedNS = nowNS()
	return Close
}

func (c *Client) printResult() {
	line := struct {
		Event       string `json:"event"`
		Connections int    `json:"connections"`
		Messages    uint64 `json:"messages"`
		OpenedNS    int64  `json:"opened_ns"`
		ReceivedNS  int64  `json:"received_ns"`
	}{Event: "result", Connections: len(c.opened), OpenedNS: c.openedNS}
	for _, connection := range c.opened {
		line.Messages += connection.messages
		line.ReceivedNS = max(line.ReceivedNS, connection.receivedNS)
		if connection.receivedNS == 0 {
			line.ReceivedNS = math.MaxInt64
		}
	}
	line.ReceivedNS = min(line.ReceivedNS, nowNS())
	if err := json.NewEncoder(os.Stdout).Encode(line); err != nil {
		exit(1, fmt.Errorf("cannot print the result: %w", err))
	}
}

// IsEndOfStream reports whether an error means that the server has ended the TCP connection. Then
// the client is done.
func IsEndOfStream(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

func nowNS() int64 {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		panic(err)
	}
	return now.Nano()
}
