// What the messages of a feed are found to be: docs/contract.md, clauses 7.2 to 7.6.

package kit

import "autostrada/kit/feed"

// checker judges the messages of one connection.
type checker struct {
	format    feed.Format
	sequence  feed.Sequence
	latencies feed.Latencies
	wrong     uint64
}

func newChecker(format feed.Format) *checker {
	return &checker{format: format, latencies: feed.Latencies{}}
}

func (c *checker) check(message feed.Message, clock func() int64) {
	var latencyNS int64
	heading, isRight := c.format.Decode(message)
	if isRight && c.format.HasInstant() {
		latencyNS = clock() - heading.TimeNS
	}
	if !isRight || latencyNS < 0 {
		c.wrong++
		return
	}
	if c.format.HasInstant() {
		c.latencies.Record(latencyNS)
	}
	if c.format.HasNumber() {
		c.sequence.Check(heading.Number)
	}
}

// findings are the keys that a result has more with a feed. Nil is null: it does not apply.
type findings struct {
	Wrong     uint64               `json:"wrong"`
	Sequence  *feed.SequenceCounts `json:"sequence"`
	LatencyNS feed.Latencies       `json:"latency_ns"`
}

func newFindings(format feed.Format) *findings {
	findings := &findings{}
	if format.HasNumber() {
		findings.Sequence = &feed.SequenceCounts{}
	}
	if format.HasInstant() {
		findings.LatencyNS = feed.Latencies{}
	}
	return findings
}

func (f *findings) add(checker *checker) {
	f.Wrong += checker.wrong
	if f.Sequence != nil {
		f.Sequence.Add(checker.sequence.Counts)
	}
	if f.LatencyNS != nil {
		f.LatencyNS.Merge(checker.latencies)
	}
}
