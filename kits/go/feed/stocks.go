// Reads stock records from a CSV file: docs/contract.md, clause 7.1.

package feed

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
)

const (
	csvHead         = "date,open,high,low,close,volume"
	wholeDigitsMax  = 7
	volumeDigitsMax = 15
)

// Stock is one record.
type Stock struct {
	Open, High, Low, Close float64
	Volume                 uint64
}

// ReadStocks reads and parses a CSV file of records.
func ReadStocks(file string) ([]Stock, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return parseStocks(string(text))
}

func parseStocks(text string) ([]Stock, error) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if lines[0] != csvHead || len(lines) == 1 {
		return nil, fmt.Errorf("a file with the line %s at its head, and records", csvHead)
	}
	stocks := make([]Stock, len(lines)-1)
	for i, line := range lines[1:] {
		var isRecord bool
		if stocks[i], isRecord = parseRecord(line); !isRecord {
			return nil, fmt.Errorf("a file of records, which this line is none of: %q", line)
		}
	}
	return stocks, nil
}

func parseRecord(line string) (stock Stock, isRecord bool) {
	fields := strings.Split(line, ",")
	if len(fields) != 6 {
		return stock, false
	}
	for i, price := range []*float64{&stock.Open, &stock.High, &stock.Low, &stock.Close} {
		var isPrice bool
		if *price, isPrice = parsePrice(fields[i+1]); !isPrice {
			return stock, false
		}
	}
	volume := fields[5]
	if !areDigits(volume) || len(volume) > volumeDigitsMax {
		return stock, false
	}
	var err error
	stock.Volume, err = strconv.ParseUint(volume, 10, 64)
	return stock, err == nil
}

// parsePrice parses digits, a point and two digits; Go's parser accepts more.
func parsePrice(text string) (price float64, isPrice bool) {
	whole, decimals, _ := strings.Cut(text, ".")
	if !areDigits(whole) || len(whole) > wholeDigitsMax || !areDigits(decimals) || len(decimals) != 2 {
		return 0, false
	}
	price, err := strconv.ParseFloat(text, 64)
	return price, err == nil
}

func areDigits(text string) bool {
	for i := range len(text) {
		if !isDigit(text[i]) {
			return false
		}
	}
	return text != ""
}

func (s Stock) appendJSON(payload []byte) []byte {
	for _, field := range []struct {
		key   string
		price float64
	}{{`{"open":`, s.Open}, {`,"high":`, s.High}, {`,"low":`, s.Low}, {`,"close":`, s.Close}} {
		payload = append(payload, field.key...)
		payload = strconv.AppendFloat(payload, field.price, 'f', 2, 64)
	}
	payload = append(payload, `,"volume":`...)
	payload = strconv.AppendUint(payload, s.Volume, 10)
	return append(payload, '}')
}

func (s Stock) appendBinary(payload []byte) []byte {
	for _, price := range [...]float64{s.Open, s.High, s.Low, s.Close} {
		payload = binary.BigEndian.AppendUint64(payload, math.Float64bits(price))
	}
	return binary.BigEndian.AppendUint64(payload, s.Volume)
}
