package kit

import (
	"testing"

	"autostrada/kit/feed"
)

func newFeedBench(kind string, messages, connections uint64) *bench {
	return newBench(Settings{
		Messages: messages, Connections: connections, Lines: "json",
		Feed: &feed.Format{Kind: kind, Encoding: "json"},
	})
}

func TestTheResultOfAFeedHasWhatWasFound(t *testing.T) {
	bench := newFeedBench("stocks", 1<<63, 2)
	first, second := bench.Opened(), bench.Opened()
	first.Received(true, []byte(`{"sequence":5,"time_ns":999999000,"stocks":[]}`))
	first.Received(true, []byte(`{"sequence":7,"time_ns":999998766,"stocks":[]}`))
	first.Received(true, []byte(`hello`))
	second.Received(true, []byte(`{"sequence":0,"time_ns":999998765,"stocks":[]}`))
	second.Received(false, []byte(`{"sequence":1,"time_ns":999998765,"stocks":[]}`))
	bench.PrintResult()
	bench.expect(t, `{"event":"result","connections":2,"messages":5,"bytes":189,`+
		`"opened_ns":1000000000,"received_ns":1000000000,"wrong":2,`+
		`"sequence":{"in_order":2,"gaps":1,"missing":1,"duplicates":0,"reordered":0,"unexpected":0},`+
		`"latency_ns":{"1000":1,"1230":1,"1240":1}}`+"\n")
}

func TestWhatDoesNotApplyIsNull(t *testing.T) {
	for kind, want := range map[string]string{
		"hello": `"wrong":1,"sequence":null,"latency_ns":null}`,
		"clock": `"wrong":0,"sequence":null,"latency_ns":{"1000000000":1}}`,
		"sequence": `"wrong":0,"sequence":{"in_order":1,"gaps":0,"missing":0,"duplicates":0,` +
			`"reordered":0,"unexpected":0},"latency_ns":null}`,
	} {
		bench := newFeedBench(kind, 1, 1)
		bench.Opened().Received(true, []byte("1"))
		bench.PrintResult()
		bench.expect(t, `{"event":"result","connections":1,"messages":1,"bytes":1,`+
			`"opened_ns":1000000000,"received_ns":1000000000,`+want+"\n")
	}
}

func TestAnInstantInTheFutureIsWrong(t *testing.T) {
	bench := newFeedBench("clock", 2, 1)
	counter := bench.Opened()
	counter.Received(true, []byte("1000000000"))
	counter.Received(true, []byte("1000000001"))
	bench.PrintResult()
	bench.expect(t, `{"event":"result","connections":1,"messages":2,"bytes":20,`+
		`"opened_ns":1000000000,"received_ns":1000000000,`+
		`"wrong":1,"sequence":null,"latency_ns":{"0":1}}`+"\n")
}
