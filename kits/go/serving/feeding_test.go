package serving

import (
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"autostrada/kit/clock"
	"autostrada/kit/feed"
)

const startNS = 81_000_000_000

// bench is subscribers named by strings, with a manual clock.
type bench struct {
	*Subscribers[string]
	nowNS  int64
	output strings.Builder
	begun  chan *Feed[string]
}

func newBench(settings FeedSettings) *bench {
	bench := &bench{nowNS: startNS, begun: make(chan *Feed[string], 1)}
	clock := func() int64 { return bench.nowNS }
	publish := func(feed *Feed[string]) { bench.begun <- feed }
	bench.Subscribers = newSubscribers(settings, clock, &bench.output, publish)
	return bench
}

func settingsOf(kind string) FeedSettings {
	return FeedSettings{
		Format:      feed.Format{Kind: kind, Encoding: "json"},
		Subscribers: 1, Duration: math.MaxInt64, Messages: math.MaxUint64,
	}
}

func (b *bench) expect(t *testing.T, want string) {
	t.Helper()
	if b.output.String() != want {
		t.Fatalf("got\n%s\nwant\n%s", b.output.String(), want)
	}
}

func TestAFeedBeginsWhenAllHaveJoinedAndGoesToAllWhoArePresent(t *testing.T) {
	settings := settingsOf("sequence")
	settings.Subscribers, settings.Messages = 2, 3
	bench := newBench(settings)
	bench.Join("ann")
	bench.Leave("ann")
	bench.Join("ben")
	if len(bench.begun) != 0 {
		t.Fatal("it begins with one")
	}
	bench.Join("eve")
	feed := <-bench.begun
	for message := range feed.Messages() {
		switch number := string(message.Payload); number {
		case "0":
			expectSubscribed(t, feed, "ben", "eve")
			bench.Join("joe")
			expectSubscribed(t, feed, "ben", "eve")
		case "1":
			expectSubscribed(t, feed, "ben", "eve", "joe")
			bench.Leave("ben")
		case "2":
			expectSubscribed(t, feed, "eve", "joe")
			bench.Leave("nobody")
		default:
			t.Errorf("got %s", number)
		}
	}
	expectSubscribed(t, feed, "eve", "joe")
	bench.expect(t, `{"event":"result","messages":7,"bytes":7}`+"\n")
}

func expectSubscribed(t *testing.T, feed *Feed[string], want ...string) {
	t.Helper()
	if !slices.Equal(feed.Subscribed(), want) {
		t.Errorf("got %v, want %v", feed.Subscribed(), want)
	}
}

func TestTheNextSubscribersGetAFeedOfTheirOwn(t *testing.T) {
	settings := settingsOf("sequence")
	settings.Messages = 1
	bench := newBench(settings)
	for range 2 {
		bench.Join("ann")
		feed := <-bench.begun
		for message := range feed.Messages() {
			if string(message.Payload) != "0" {
				t.Errorf("got %s", message.Payload)
			}
		}
	}
	result := `{"event":"result","messages":1,"bytes":1}` + "\n"
	bench.expect(t, result+result)
}

func TestWithoutAnyoneLeftTheFeedIsOver(t *testing.T) {
	bench := newBench(settingsOf("hello"))
	bench.Join("ann")
	feed := <-bench.begun
	for range feed.Messages() {
		bench.Leave("ann")
	}
	bench.expect(t, `{"event":"result","messages":1,"bytes":11}`+"\n")
}

func TestMessagesAreDueByTheirNumberAndLateOnesAreSentAtOnce(t *testing.T) {
	settings := settingsOf("clock")
	settings.Every, settings.Duration = 400*time.Millisecond, 1300*time.Millisecond
	bench := newBench(settings)
	bench.Join("ann")
	feed := <-bench.begun
	if feed.IsContinuous() {
		t.Error("it has an interval")
	}
	expectWait(t, feed, 0)
	if message := feed.nextMessage(); string(message.Payload) != "81000000000" {
		t.Errorf("got %s", message.Payload)
	}
	bench.nowNS += 100_000_000
	expectWait(t, feed, 300*time.Millisecond)
	bench.nowNS = startNS + 1_350_000_000
	for _, want := range []string{"81400000000", "81800000000", "82200000000"} {
		expectWait(t, feed, 0)
		if message := feed.nextMessage(); string(message.Payload) != want {
			t.Errorf("got %s, want %s", message.Payload, want)
		}
	}
	// The last message has an interval like the others.
	expectWait(t, feed, 250*time.Millisecond)
	bench.nowNS += 250_000_000
	if _, isOver := feed.wait(); !isOver {
		t.Error("a message is due after the end")
	}
	feed.finish()
	bench.expect(t, `{"event":"second","second":0,"messages":1,"bytes":11}
{"event":"result","messages":4,"bytes":44}
`)
}

func expectWait(t *testing.T, feed *Feed[string], want time.Duration) {
	t.Helper()
	if wait, isOver := feed.wait(); isOver || wait != want {
		t.Errorf("waits %v, %t; want %v", wait, isOver, want)
	}
}

func TestNoMessageComesBeforeItIsDue(t *testing.T) {
	settings := settingsOf("clock")
	settings.Every, settings.Messages = 2*time.Millisecond, 5
	begun := make(chan *Feed[string], 1)
	publish := func(feed *Feed[string]) { begun <- feed }
	newSubscribers(settings, clock.NowNS, io.Discard, publish).Join("ann")
	feed := <-begun
	var messages int64
	for message := range feed.Messages() {
		dueNS, err := strconv.ParseInt(string(message.Payload), 10, 64)
		if err != nil || dueNS != feed.startNS+messages*2_000_000 {
			t.Errorf("message %d is due at %s", messages, message.Payload)
		}
		if clock.NowNS() < dueNS {
			t.Errorf("message %d comes before it is due", messages)
		}
		messages++
	}
	if messages != 5 {
		t.Errorf("got %d messages", messages)
	}
}

func TestItWakesUpToPrintEachSecond(t *testing.T) {
	settings := settingsOf("sequence")
	settings.Every, settings.Messages = 2500*time.Millisecond, 2
	bench := newBench(settings)
	bench.Join("ann")
	feed := <-bench.begun
	feed.nextMessage()
	expectWait(t, feed, time.Second)
	bench.nowNS += 1_000_000_000
	expectWait(t, feed, time.Second)
	bench.nowNS += 1_200_000_000
	expectWait(t, feed, 300*time.Millisecond)
	bench.expect(t, `{"event":"second","second":0,"messages":1,"bytes":1}
{"event":"second","second":1,"messages":0,"bytes":0}
`)
}

func TestAContinuousFeedHasTheInstantsAtWhichItsMessagesAreMade(t *testing.T) {
	settings := settingsOf("clock")
	settings.Duration = time.Second
	bench := newBench(settings)
	bench.Join("ann")
	feed := <-bench.begun
	for message := range feed.Messages() {
		want := "81000000000"
		if bench.nowNS != startNS {
			want = "81999999999"
		}
		if string(message.Payload) != want {
			t.Errorf("got %s, want %s", message.Payload, want)
		}
		if bench.nowNS == startNS {
			bench.nowNS += 999_999_999
		} else {
			bench.nowNS++
		}
	}
	bench.expect(t, `{"event":"second","second":0,"messages":2,"bytes":22}
{"event":"result","messages":2,"bytes":22}
`)
}
