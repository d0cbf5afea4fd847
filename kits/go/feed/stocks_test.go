package feed

import (
	"strings"
	"testing"
)

const record = "2001-01-01,100.00,104.50,98.25,103.10,82000000"

func TestTheRecordsOfAFileAreNumbers(t *testing.T) {
	stocks, err := parseStocks(csvHead + "\n" + record + "\n,0.01,1.00,2.00,9999999.99,999999999999999")
	want := []Stock{
		{100, 104.5, 98.25, 103.1, 82_000_000},
		{0.01, 1, 2, 9_999_999.99, 999_999_999_999_999},
	}
	if err != nil || len(stocks) != 2 || stocks[0] != want[0] || stocks[1] != want[1] {
		t.Fatalf("got %v, %v", stocks, err)
	}
}

func TestWhatIsNoFileOfRecordsIsRefused(t *testing.T) {
	for _, text := range []string{
		"", csvHead, csvHead + "\n", record, csvHead + "\r\n" + record,
		csvHead + "\n" + record + "\n\n",
		csvHead + "\n" + record + ",1",
		csvHead + "\n" + strings.TrimSuffix(record, ",82000000"),
		csvHead + "\n" + strings.Replace(record, "100.00", "100.0", 1),
		csvHead + "\n" + strings.Replace(record, "100.00", "+100.00", 1),
		csvHead + "\n" + strings.Replace(record, "100.00", "10000000.00", 1),
		csvHead + "\n" + strings.Replace(record, "100.00", "1e2", 1),
		csvHead + "\n" + strings.Replace(record, "100.00", ".00", 1),
		csvHead + "\n" + strings.Replace(record, "82000000", "1.5", 1),
		csvHead + "\n" + strings.Replace(record, "82000000", "1000000000000000", 1),
	} {
		if stocks, err := parseStocks(text); err == nil {
			t.Errorf("%q: read as %v", text, stocks)
		}
	}
}
