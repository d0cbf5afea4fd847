// Checks the messages of a feed: docs/contract.md, clauses 7.2 to 7.6.

package feed

// Checker checks the messages of one connection.
type Checker struct {
	format    Format
	sequence  Sequence
	latencies Latencies
	wrong     uint64
}

// NewChecker returns a checker for a connection without messages.
func NewChecker(format Format) *Checker {
	return &Checker{format: format, latencies: Latencies{}}
}

// Check checks a message at the time the library delivers it.
func (c *Checker) Check(message Message, clock func() int64) {
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

// Findings are the keys of a result line that only a feed has. Nil means null: the key does not
// apply.
type Findings struct {
	Wrong     uint64          `json:"wrong"`
	Sequence  *SequenceCounts `json:"sequence"`
	LatencyNS Latencies       `json:"latency_ns"`
}

// NewFindings returns the findings of a feed without messages.
func NewFindings(format Format) *Findings {
	findings := &Findings{}
	if format.HasNumber() {
		findings.Sequence = &SequenceCounts{}
	}
	if format.HasInstant() {
		findings.LatencyNS = Latencies{}
	}
	return findings
}

// Add adds the findings of one connection.
func (f *Findings) Add(checker *Checker) {
	f.Wrong += checker.wrong
	if f.Sequence != nil {
		f.Sequence.Add(checker.sequence.Counts)
	}
	if f.LatencyNS != nil {
		f.LatencyNS.Merge(checker.latencies)
	}
}
