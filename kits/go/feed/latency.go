// Latencies as counts of rounded nanoseconds: docs/contract.md, clause 7.5.

package feed

// Latencies maps each rounded latency in nanoseconds to its number of messages.
type Latencies map[uint64]uint64

// Record counts one latency, which must not be negative.
func (l Latencies) Record(latencyNS int64) { l[RoundLatency(uint64(latencyNS))]++ }

// Merge adds the counts of others.
func (l Latencies) Merge(others Latencies) {
	for latencyNS, count := range others {
		l[latencyNS] += count
	}
}

// Total returns the number of recorded latencies.
func (l Latencies) Total() uint64 {
	var total uint64
	for _, count := range l {
		total += count
	}
	return total
}

// RoundLatency rounds to three significant digits; a half is rounded up.
func RoundLatency(latencyNS uint64) uint64 {
	unit := uint64(1)
	for latencyNS/unit >= 1_000 {
		unit *= 10
	}
	return (latencyNS + unit/2) / unit * unit
}
