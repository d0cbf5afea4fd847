package feed

import (
	"maps"
	"testing"
)

func TestLatenciesMergeByAddingCounts(t *testing.T) {
	one, other := Latencies{}, Latencies{}
	one.Record(1_234)
	one.Record(7)
	other.Record(1_229)
	other.Record(8)
	one.Merge(other)
	if want := (Latencies{1_230: 2, 7: 1, 8: 1}); !maps.Equal(one, want) || one.Total() != 4 {
		t.Fatalf("got %v", one)
	}
}
