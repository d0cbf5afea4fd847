// Package serving is shared by the Go servers: docs/contract.md, section 8.
package serving

import (
	"crypto/tls"
	"math"
	"time"

	"autostrada/kit/environment"
	"autostrada/kit/feed"
)

// PayloadBytesMax is the largest payload that a server must accept, whatever the default of its
// library.
const PayloadBytesMax = 16 * 1024 * 1024

const (
	portMax   = 65_535
	stocksMax = 1_000_000
)

// Settings are the settings of a server.
type Settings struct {
	Host    string
	Port    uint64
	TLSCert string
	TLSKey  string
	Workers uint64
	Deflate bool
	// Nil without a feed.
	Feed *FeedSettings
}

// FeedSettings are the settings of a feed.
type FeedSettings struct {
	Format      feed.Format
	Stocks      uint64
	StocksFile  string
	Subscribers uint64
	// 0: continuous.
	Every time.Duration
	// Duration or the number of messages ends the feed; the other one has its largest value.
	Duration time.Duration
	Messages uint64
}

// FromEnvironment reads the environment variables, or ends the program with status 2 and the
// reason.
func FromEnvironment() Settings { return environment.Read(Read) }

// Read reads the variables of a server.
func Read(variables *environment.Variables) Settings {
	settings := Settings{
		Host:    variables.Optional("HOST", "127.0.0.1"),
		Port:    variables.Count("PORT", portMax),
		Workers: variables.CountOr("WORKERS", 1, math.MaxInt32),
		Deflate: variables.Choice("COMPRESSION", "", "deflate") == "deflate",
		Feed:    readFeed(variables),
	}
	if variables.IsSet("TLS_CERT") || variables.IsSet("TLS_KEY") {
		settings.TLSCert = variables.Required("TLS_CERT", "the certificate of TLS_KEY")
		settings.TLSKey = variables.Required("TLS_KEY", "the key of TLS_CERT")
		if _, err := tls.LoadX509KeyPair(settings.TLSCert, settings.TLSKey); err != nil {
			variables.Wrong("TLS_CERT", settings.TLSCert, "a certificate and its key: "+err.Error())
		}
	}
	return settings
}

func readFeed(variables *environment.Variables) *FeedSettings {
	format := feed.ReadFormat(variables)
	if format == nil {
		return nil
	}
	settings := FeedSettings{
		Format:      *format,
		Stocks:      variables.CountOr("STOCKS", 1, stocksMax),
		Subscribers: variables.CountOr("SUBSCRIBERS", 1, math.MaxInt32),
		Duration:    math.MaxInt64,
		Messages:    math.MaxUint64,
	}
	if variables.IsSet("EVERY_MS") {
		settings.Every = variables.Interval()
	}
	if !variables.IsSet("SECONDS") {
		settings.Messages = variables.Count("MESSAGES", math.MaxUint64)
	} else if variables.IsSet("MESSAGES") {
		variables.Wrong("MESSAGES", variables.Optional("MESSAGES", ""), "either it or SECONDS")
	} else {
		settings.Duration = variables.SomeSeconds("SECONDS")
	}
	if format.Kind == "stocks" {
		settings.StocksFile = variables.Required("STOCKS_FILE", "where the records come from")
		if _, err := settings.stocksOfMessage(0); err != nil {
			variables.Wrong("STOCKS_FILE", settings.StocksFile, err.Error())
		}
	}
	return &settings
}

// stocksOfMessage reads the file again and returns the records of a message.
func (s FeedSettings) stocksOfMessage(number uint64) ([]feed.Stock, error) {
	if s.StocksFile == "" {
		return nil, nil
	}
	read, err := feed.ReadStocks(s.StocksFile)
	if err != nil {
		return nil, err
	}
	stocks := make([]feed.Stock, s.Stocks)
	for i := range stocks {
		stocks[i] = read[(number+uint64(i))%uint64(len(read))]
	}
	return stocks, nil
}
