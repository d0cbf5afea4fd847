package kit

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"autostrada/kit/clock"
	"autostrada/kit/vectors"
)

const every = 100 * time.Millisecond

// botBench is bots with a clock that stands still until it is set.
type botBench struct {
	*Bots
	now    time.Duration
	output strings.Builder
}

func newBotBench(connections uint64) *botBench {
	bench := &botBench{now: openedAt}
	echo := EchoSettings{Connections: connections, Payload: "grüezi", WarmUp: warmUp, Window: window}
	settings := BotSettings{EchoSettings: echo, Every: every, Drain: time.Second}
	clock := func() int64 { return bench.now.Nanoseconds() }
	bench.Bots = newBots(settings, clock, &bench.output)
	return bench
}

func (b *botBench) expect(t *testing.T, sent, echoed, wrong int, latencies string) {
	t.Helper()
	b.PrintResult()
	want := fmt.Sprintf(`{"event":"result","connections":%d,"sent":%d,"echoed":%d,"wrong":%d,`+
		`"window_ns":2000000000,"response_time_ns":%s}`+"\n",
		b.Connections(), sent, echoed, wrong, latencies)
	if b.output.String() != want {
		t.Fatalf("got %s, want %s", b.output.String(), want)
	}
}

func TestEventsAreDueByTheirNumber(t *testing.T) {
	for _, given := range vectors.Read(t).Due {
		interval, err := time.ParseDuration(given.EveryMS + "ms")
		if err != nil {
			t.Fatal(err)
		}
		settings := BotSettings{Every: interval}
		settings.Connections = given.Connections
		bots := newBots(settings, func() int64 { return given.StartNS }, nil)
		bots.startNS = given.StartNS
		if dueNS := bots.dueNS(given.Connection, given.Event); dueNS != given.DueNS {
			t.Errorf("%+v: got %d", given, dueNS)
		}
	}
}

func TestEventsAreStamped(t *testing.T) {
	for _, given := range vectors.Read(t).Stamps {
		if text := stamp(given.Event, given.DueNS, given.Payload); text != given.Text {
			t.Errorf("got %q, want %q", text, given.Text)
		}
	}
}

// sendAll sends all events of a bot at once, and returns them.
func sendAll(bot *Bot) [][]byte {
	var events [][]byte
	for _, isLeft := bot.nextDueNS(); isLeft; _, isLeft = bot.nextDueNS() {
		events = append(events, bot.nextEvent())
	}
	return events
}

func isAnswered(bot *Bot) bool {
	select {
	case <-bot.answered:
		return true
	default:
		return false
	}
}

func TestEventsThatAreDueInTheWindowCountAndTheirAnswersAreTimed(t *testing.T) {
	bench := newBotBench(1)
	bot := bench.Opened()
	events := sendAll(bot)
	if len(events) != 25 {
		t.Fatalf("got %d events", len(events))
	}
	bench.now = windowAt + 1_234_567
	bot.Answered(true, events[4])
	bot.Answered(true, events[5])
	bench.now = windowAt + window
	bot.Answered(true, events[24])
	if !isAnswered(bot) {
		t.Error("it waits for more answers")
	}
	bench.expect(t, 20, 2, 0, `{"100000000":1,"1230000":1}`)
}

func TestConnectionsAreSpreadEvenlyInTheOrderInWhichTheyOpen(t *testing.T) {
	bench := newBotBench(2)
	first := bench.Opened()
	bench.now += time.Second
	second := bench.Opened()
	start := bench.now.Nanoseconds()
	if dueNS, _ := first.nextDueNS(); dueNS != start {
		t.Errorf("the first is due at %d", dueNS)
	}
	if dueNS, _ := second.nextDueNS(); dueNS != start+every.Nanoseconds()/2 {
		t.Errorf("the second is due at %d", dueNS)
	}
}

func TestOtherAnswersAreWrong(t *testing.T) {
	bench := newBotBench(1)
	bot := bench.Opened()
	bot.nextDueNS()
	events := [][]byte{bot.nextEvent(), bot.nextEvent()}
	next := stamp(2, bench.dueNS(0, 2), "grüezi")
	bot.Answered(true, events[1])
	for _, wrong := range []string{
		string(events[0]), string(events[1]), next, "", "hello", next[:20],
		strings.Replace(next, "00000000000000000002", "+0000000000000000002", 1),
	} {
		bot.Answered(true, []byte(wrong))
	}
	bot.nextEvent()
	bot.Answered(false, []byte(next))
	bot.Answered(true, []byte(next+" "))
	bot.Answered(true, []byte(next))
	bench.expect(t, 0, 0, 9, `{}`)
}

func TestAnAnswerBeforeTheBeginIsWrong(t *testing.T) {
	bench := newBotBench(2)
	bench.Opened().Answered(true, []byte(stamp(0, 0, "grüezi")))
	bench.Opened()
	bench.expect(t, 0, 0, 1, `{}`)
}

func TestWhatIsLateIsSentAtOnceUntilAllIsAnswered(t *testing.T) {
	bench := newBotBench(1)
	bot := bench.Opened()
	bench.now = windowAt + window
	err := bot.SendWhenDue(func(event []byte) error {
		bot.Answered(true, event)
		return nil
	})
	if err != nil || !isAnswered(bot) {
		t.Fatalf("got %v", err)
	}
	bench.PrintResult()
	if line := bench.output.String(); !strings.Contains(line, `"sent":20,"echoed":20,"wrong":0,`) {
		t.Fatalf("got %s", line)
	}
}

func TestNothingIsSentBeforeItIsDue(t *testing.T) {
	settings := BotSettings{Every: 2 * time.Millisecond, Drain: time.Minute}
	settings.Connections, settings.Window = 1, 9*time.Millisecond
	bots := newBots(settings, clock.NowNS, nil)
	bot := bots.Opened()
	var events uint64
	err := bot.SendWhenDue(func(event []byte) error {
		if dueNS := bots.dueNS(0, events); clock.NowNS() < dueNS {
			t.Errorf("event %d is sent before it is due", events)
		}
		events++
		bot.Answered(true, event)
		return nil
	})
	if err != nil || events != 5 {
		t.Fatalf("got %d events, %v", events, err)
	}
}

func TestAnswersAreWaitedForUntilTheDrainIsOver(t *testing.T) {
	bench := newBotBench(1)
	bot := bench.Opened()
	bench.now = windowAt + window + time.Second
	if err := bot.SendWhenDue(func([]byte) error { return nil }); err != nil {
		t.Fatalf("got %v", err)
	}
	bench.expect(t, 20, 0, 0, `{}`)
}

func TestTheEndOfTheConnectionEndsTheSending(t *testing.T) {
	reason := errors.New("closed by the server")
	waiting, playing := newBotBench(2), newBotBench(1)
	for _, bench := range []*botBench{waiting, playing} {
		bot := bench.Opened()
		bot.Ended(reason)
		bot.Ended(errors.New("a second reason"))
		err := bot.SendWhenDue(func([]byte) error { return nil })
		if !errors.Is(err, reason) {
			t.Errorf("got %v", err)
		}
	}
}

func TestWhatCannotBeSentEndsTheSending(t *testing.T) {
	reason := errors.New("broken pipe")
	bot := newBotBench(1).Opened()
	if err := bot.SendWhenDue(func([]byte) error { return reason }); !errors.Is(err, reason) {
		t.Errorf("got %v", err)
	}
}
