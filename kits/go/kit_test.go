package kit

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

func given(values map[string]string) *variables {
	return &variables{lookUp: func(name string) (string, bool) {
		value, isSet := values[name]
		return value, isSet
	}}
}

func TestAClientHasItsSettings(t *testing.T) {
	client := readClient(given(map[string]string{"URL": "ws://h:1/5", "MESSAGES": "5"}))
	if client.URL != "ws://h:1/5" || client.messages != 5 || client.connections != 1 {
		t.Errorf("got %+v", client)
	}
}

func TestAWrongValueIsNamed(t *testing.T) {
	for name, values := range map[string][]string{
		"URL":         {"", "http://h/", "ws://", "wss:///5"},
		"MESSAGES":    {"", "0", "-1", "1e6", "5 ", "18446744073709551616"},
		"CONNECTIONS": {"0", "many"},
		"VERB":        {"", "echo"},
	} {
		for _, value := range values {
			wrong := given(map[string]string{"URL": "ws://h/", name: value})
			readClient(wrong)
			if wrong.err == nil || !strings.HasPrefix(wrong.err.Error(), name+` is "`+value+`": give `) {
				t.Errorf("%s=%q: got %v", name, value, wrong.err)
			}
		}
	}
}

func TestAWrongEnvironmentEndsTheProgramWithStatus2AndOneLine(t *testing.T) {
	if os.Getenv("READ") != "" {
		Run(func(*Client) error { return nil })
		return
	}
	program := exec.Command(os.Args[0], "-test.run="+t.Name())
	program.Env = []string{"READ=1"}
	var stderr strings.Builder
	program.Stderr = &stderr
	program.Run() // The error is the exit status, which is checked below.
	if program.ProcessState.ExitCode() != 2 || stderr.String() != "URL is not set\n" {
		t.Errorf("got %v and %q", program.ProcessState, stderr.String())
	}
}

// newClient returns a client with a manual clock.
func newClient(isReplying bool, messages uint64, nowNS *int64) *Client {
	return &Client{isReplying: isReplying, messages: messages, clock: func() int64 { return *nowNS }}
}

func TestACountingClientClosesAfterItsLastMessage(t *testing.T) {
	now := int64(100)
	client := newClient(false, 2, &now)
	first, second := client.Opened(), client.Opened()
	var actions []Action
	for range 3 {
		now++
		actions = append(actions, first.Received())
	}
	second.Received()
	second.Received()
	now = 500
	if actions[0] != Continue || actions[1] != Close || actions[2] != Continue {
		t.Errorf("got %v", actions)
	}
	expectResult(t, client, `{"event":"result","connections":2,"messages":4,"opened_ns":100,"received_ns":103}`)
}

func TestAClientWithoutItsLastMessageHasTheInstantOfItsResult(t *testing.T) {
	now := int64(100)
	client := newClient(true, 2, &now)
	if action := client.Opened().Received(); action != Reply {
		t.Errorf("got %v", action)
	}
	now = 500
	expectResult(t, client, `{"event":"result","connections":1,"messages":1,"opened_ns":100,"received_ns":500}`)
}

func expectResult(t *testing.T, client *Client, want string) {
	t.Helper()
	var output strings.Builder
	client.printResult(&output)
	if output.String() != want+"\n" {
		t.Errorf("got %s", output.String())
	}
}

func TestAMessageReachesAllSubscribersThatAreNotTooSlow(t *testing.T) {
	var subscribers Subscribers[int]
	slow, left := subscribers.Join(), subscribers.Join()
	subscribers.Leave(left)
	if _, isOpen := <-left; isOpen {
		t.Error("a subscriber that has left gets a message")
	}
	for number := range queueLength + 1 {
		subscribers.Send(number)
	}
	received := 0
	for range slow {
		received++
	}
	if received != queueLength || len(subscribers.queues) != 0 {
		t.Errorf("got %d, %d left", received, len(subscribers.queues))
	}
}
