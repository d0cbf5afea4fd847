package kit

import (
	"strings"
	"testing"
)

// bench is a receiver with a manual clock.
type bench struct {
	*Receiver
	nowNS  int64
	output strings.Builder
}

func newBenchOf(messages, connections uint64) *bench {
	return newBench(Settings{Messages: messages, Connections: connections, Lines: "json"})
}

func newBench(settings Settings) *bench {
	bench := &bench{nowNS: 1_000_000_000}
	clock := func() int64 { return bench.nowNS }
	bench.Receiver = newReceiver(settings, "go-library", clock, &bench.output)
	return bench
}

func (b *bench) tickAt(nowNS int64) {
	b.nowNS = nowNS
	b.printSecond()
}

func (b *bench) expect(t *testing.T, want string) {
	t.Helper()
	if b.output.String() != want {
		t.Fatalf("got\n%s\nwant\n%s", b.output.String(), want)
	}
}

func TestASecondIsWhatArrivedSinceTheLast(t *testing.T) {
	bench := newBenchOf(10, 1)
	counter := bench.Opened()
	counter.Received(true, payloadOf(11))
	counter.Received(true, payloadOf(12))
	bench.tickAt(1_999_999_999)
	bench.tickAt(2_000_000_000)
	bench.tickAt(3_000_000_000)
	counter.Received(true, payloadOf(13))
	bench.tickAt(4_000_000_000)
	bench.expect(t, `{"event":"second","second":0,"messages":2,"bytes":23}
{"event":"second","second":1,"messages":0,"bytes":0}
{"event":"second","second":2,"messages":1,"bytes":13}
`)
}

func TestNoSecondIsLeftOutWhenTheTickerIsLate(t *testing.T) {
	bench := newBenchOf(10, 1)
	bench.Opened().Received(true, payloadOf(11))
	bench.tickAt(3_100_000_000)
	bench.expect(t, `{"event":"second","second":0,"messages":1,"bytes":11}
{"event":"second","second":1,"messages":0,"bytes":0}
`)
}

func TestTheResultPrintsTheSecondsThatTheTickerMissed(t *testing.T) {
	bench := newBenchOf(1, 1)
	counter := bench.Opened()
	bench.nowNS = 2_500_000_000
	counter.Received(true, payloadOf(11))
	bench.PrintResult()
	bench.expect(t, `{"event":"second","second":0,"messages":1,"bytes":11}
{"event":"result","connections":1,"messages":1,"bytes":11,`+
		`"opened_ns":1000000000,"received_ns":2500000000}
`)
}

func TestNoSecondIsPrintedAfterTheLastMessage(t *testing.T) {
	bench := newBenchOf(1, 1)
	bench.Opened().Received(true, payloadOf(11))
	bench.tickAt(2_000_000_000)
	bench.expect(t, "")
}

func TestConnectionsAreAddedUpFromTheFirstOpeningToTheLastMessage(t *testing.T) {
	bench := newBenchOf(1, 2)
	first := bench.Opened()
	bench.nowNS = 1_100_000_000
	second := bench.Opened()
	first.Received(true, payloadOf(11))
	bench.tickAt(2_000_000_000)
	second.Received(true, payloadOf(12))
	bench.nowNS = 2_500_000_000
	bench.PrintResult()
	bench.expect(t, `{"event":"second","second":0,"messages":1,"bytes":11}
{"event":"result","connections":2,"messages":2,"bytes":23,`+
		`"opened_ns":1000000000,"received_ns":2000000000}
`)
}

func TestAServerThatClosesEarlyLeavesAResultAndNothingAfterIt(t *testing.T) {
	bench := newBenchOf(5, 1)
	bench.Opened().Received(true, payloadOf(11))
	bench.nowNS = 1_500_000_000
	bench.PrintResult()
	bench.tickAt(2_000_000_000)
	bench.expect(t, `{"event":"result","connections":1,"messages":1,"bytes":11,`+
		`"opened_ns":1000000000,"received_ns":1500000000}`+"\n")
}

func TestTheTickerStartsOnceWhenTheFirstConnectionIsOpen(t *testing.T) {
	bench := newBenchOf(5, 2)
	var startedAtNS []int64
	bench.startTicker = func(openedNS int64) { startedAtNS = append(startedAtNS, openedNS) }
	bench.Opened()
	bench.Opened()
	if len(startedAtNS) != 1 || startedAtNS[0] != 1_000_000_000 {
		t.Fatalf("got %v", startedAtNS)
	}
}
