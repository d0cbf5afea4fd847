package serving

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"autostrada/kit/environment"
	"autostrada/kit/feed"
	"autostrada/kit/vectors"
)

func read(given map[string]string) (Settings, error) {
	variables := environment.Of(func(name string) (string, bool) {
		value, isSet := given[name]
		return value, isSet
	})
	settings := Read(variables)
	return settings, variables.Err()
}

func TestAPortIsEnough(t *testing.T) {
	settings, err := read(map[string]string{"PORT": "8008"})
	if want := (Settings{Host: "127.0.0.1", Port: 8008, Workers: 1}); err != nil || settings != want {
		t.Fatalf("got %+v, %v", settings, err)
	}
}

func TestAllIsRead(t *testing.T) {
	settings, err := read(map[string]string{
		"HOST": "127.0.0.2", "PORT": "8008", "WORKERS": "2", "COMPRESSION": "deflate",
		"FEED": "stocks", "ENCODING": "binary", "STOCKS": "3", "STOCKS_FILE": vectors.StocksFile(),
		"SUBSCRIBERS": "8", "EVERY_MS": "0.5", "SECONDS": "1.5",
	})
	want := FeedSettings{
		Format: feed.Format{Kind: "stocks", Encoding: "binary"},
		Stocks: 3, StocksFile: vectors.StocksFile(),
		Subscribers: 8, Every: 500 * time.Microsecond,
		Duration: 1500 * time.Millisecond, Messages: math.MaxUint64,
	}
	if err != nil || settings.Feed == nil || *settings.Feed != want {
		t.Fatalf("got %+v, %v", settings.Feed, err)
	}
	settings.Feed = nil
	if want := (Settings{Host: "127.0.0.2", Port: 8008, Workers: 2, Deflate: true}); settings != want {
		t.Fatalf("got %+v", settings)
	}
}

func TestAMissingOrWrongVariableIsNamed(t *testing.T) {
	noRecords := filepath.Join(t.TempDir(), "records.csv")
	if err := os.WriteFile(noRecords, []byte("hello\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, given := range []struct {
		name      string
		variables map[string]string
	}{
		{"PORT", map[string]string{"PORT": "0"}},
		{"PORT", map[string]string{"PORT": "65536"}},
		{"WORKERS", map[string]string{"WORKERS": "0"}},
		{"COMPRESSION", map[string]string{"COMPRESSION": "gzip"}},
		{"TLS_KEY", map[string]string{"TLS_CERT": "certificate.pem"}},
		{"TLS_CERT", map[string]string{"TLS_KEY": "key.pem"}},
		{"TLS_CERT", map[string]string{"TLS_CERT": "none.pem", "TLS_KEY": "none.pem"}},
		{"FEED", map[string]string{"FEED": "weather", "MESSAGES": "1"}},
		{"ENCODING", map[string]string{"FEED": "hello", "ENCODING": "xml", "MESSAGES": "1"}},
		{"MESSAGES", map[string]string{"FEED": "hello"}},
		{"MESSAGES", map[string]string{"FEED": "hello", "MESSAGES": "1", "SECONDS": "1"}},
		{"SECONDS", map[string]string{"FEED": "hello", "SECONDS": "0"}},
		{"EVERY_MS", map[string]string{"FEED": "hello", "MESSAGES": "1", "EVERY_MS": "0"}},
		{"SUBSCRIBERS", map[string]string{"FEED": "hello", "MESSAGES": "1", "SUBSCRIBERS": "0"}},
		{"STOCKS", map[string]string{"FEED": "hello", "MESSAGES": "1", "STOCKS": "1000001"}},
		{"STOCKS_FILE", map[string]string{"FEED": "stocks", "MESSAGES": "1"}},
		{"STOCKS_FILE", map[string]string{"FEED": "stocks", "MESSAGES": "1", "STOCKS_FILE": "/none"}},
		{"STOCKS_FILE", map[string]string{"FEED": "stocks", "MESSAGES": "1", "STOCKS_FILE": noRecords}},
	} {
		if given.variables["PORT"] == "" {
			given.variables["PORT"] = "8008"
		}
		_, err := read(given.variables)
		if err == nil || !strings.HasPrefix(err.Error(), given.name+" is ") {
			t.Errorf("%v: got %v", given.variables, err)
		}
	}
}

func TestRecordsAreTakenInTurn(t *testing.T) {
	settings := FeedSettings{Stocks: 25, StocksFile: vectors.StocksFile()}
	all, err := feed.ReadStocks(settings.StocksFile)
	if err != nil {
		t.Fatal(err)
	}
	stocks, err := settings.stocksOfMessage(1<<53 - 1)
	if err != nil || len(stocks) != 25 {
		t.Fatalf("got %d records, %v", len(stocks), err)
	}
	for i, stock := range stocks {
		if want := all[(1<<53-1+i)%len(all)]; stock != want {
			t.Errorf("record %d: got %+v, want %+v", i, stock, want)
		}
	}
}
