package feed

import (
	"bytes"
	"encoding/json"
	"testing"

	"autostrada/kit/vectors"
)

func TestAMessageIsWrittenAndRead(t *testing.T) {
	stocks, err := ReadStocks(vectors.StocksFile())
	if err != nil {
		t.Fatal(err)
	}
	for _, given := range vectors.Read(t).Feeds {
		format := Format{given.Kind, given.Encoding}
		var records []Stock
		for i := range given.Stocks {
			records = append(records, stocks[(given.Number+i)%uint64(len(stocks))])
		}
		message := format.Encode(Heading{given.Number, given.TimeNS}, records)
		if message.IsText != (given.Text != nil) || !bytes.Equal(message.Payload, given.Payload(t)) {
			t.Errorf("%+v: got %q", given, message.Payload)
		}
		var want Heading
		if format.HasNumber() {
			want.Number = given.Number
		}
		if format.HasInstant() {
			want.TimeNS = given.TimeNS
		}
		if heading, isRight := format.Decode(message); !isRight || heading != want {
			t.Errorf("%+v: read as %+v, %t", given, heading, isRight)
		}
	}
}

func TestWhatIsNotOfTheFeedIsWrong(t *testing.T) {
	for _, given := range vectors.Read(t).Wrong {
		message := Message{given.Text != nil, given.Payload(t)}
		if heading, isRight := (Format{given.Kind, given.Encoding}).Decode(message); isRight {
			t.Errorf("%s %s %q: read as %+v", given.Kind, given.Encoding, message.Payload, heading)
		}
	}
}

func TestNumbersGetTheirVerdicts(t *testing.T) {
	for _, given := range vectors.Read(t).Sequences {
		var sequence Sequence
		for i, number := range given.Numbers {
			if verdict := sequence.Check(number); string(verdict) != given.Verdicts[i] {
				t.Errorf("%s: %d is %s, not %s", given.Name, number, verdict, given.Verdicts[i])
			}
		}
		var want SequenceCounts
		if err := json.Unmarshal(given.Counts, &want); err != nil {
			t.Fatal(err)
		}
		if sequence.Counts != want {
			t.Errorf("%s: got %+v", given.Name, sequence.Counts)
		}
	}
}

func TestLatenciesAreRounded(t *testing.T) {
	for _, given := range vectors.Read(t).Roundings {
		latencyNS, err := given[0].Int64()
		if err != nil {
			t.Fatal(err)
		}
		latencies := Latencies{}
		latencies.Record(latencyNS)
		line, err := json.Marshal(latencies)
		if want := `{"` + given[1].String() + `":1}`; err != nil || string(line) != want {
			t.Errorf("%s: got %s, %v", given[0], line, err)
		}
	}
}
