package kit

import (
	"strings"
	"testing"
)

var example = result{
	Connections: 1, Messages: 1_000_000, Bytes: 11_000_000,
	OpenedNS: 81_000_000_000, ReceivedNS: 83_830_000_000,
}

func TestPrintsTheLinesOfTheContract(t *testing.T) {
	var output strings.Builder
	report := report{lines: "json", output: &output}
	report.printSecond(totals{212_345, 2_335_795})
	report.printSecond(totals{})
	report.printResult(example)
	want := `{"event":"second","second":0,"messages":212345,"bytes":2335795}
{"event":"second","second":1,"messages":0,"bytes":0}
{"event":"result","connections":1,"messages":1000000,"bytes":11000000,` +
		`"opened_ns":81000000000,"received_ns":83830000000}
`
	if output.String() != want {
		t.Fatalf("got %s", output.String())
	}
}

func TestPrintsTheLinesOfTheOriginalRace(t *testing.T) {
	var output strings.Builder
	report := report{lines: "autoroute", name: "go-library", output: &output}
	report.printSecond(totals{212_345, 2_335_795})
	report.printResult(example)
	want := "messages received per second: 212345\nAUTOROUTE go-library :: 2830 ms\n"
	if output.String() != want {
		t.Fatalf("got %s", output.String())
	}
}

func TestMillisecondsAreRoundedToTheNearest(t *testing.T) {
	for nanoseconds, want := range map[int64]string{
		499_999: ":: 0 ms\n", 500_000: ":: 1 ms\n", 1_499_999: ":: 1 ms\n",
	} {
		var output strings.Builder
		report := report{lines: "autoroute", output: &output}
		report.printResult(result{OpenedNS: 7, ReceivedNS: 7 + nanoseconds})
		if !strings.HasSuffix(output.String(), want) {
			t.Errorf("%d ns: got %s", nanoseconds, output.String())
		}
	}
}
