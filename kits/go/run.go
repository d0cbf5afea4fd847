// Package kit is what the Go contestants share: the settings, the counting and the lines of
// docs/contract.md. A library with blocking calls needs only Run; others put the parts together.
package kit

import (
	"fmt"
	"os"
	"sync"
)

// Run does the workload that the environment asks for: it calls receive or echo for each
// connection, in a goroutine of its own, and prints the result. The first error ends the program.
func Run(receive func(*Receiver) error, echo func(*Exchanger) error) {
	workload, err := ParseWorkload(os.LookupEnv)
	if err != nil {
		fail(2, err)
	}
	if workload == Echo {
		exchanger := ExchangerFromEnvironment()
		runEach(exchanger.Connections(), func() error { return echo(exchanger) })
		exchanger.PrintResult()
	} else {
		receiver := FromEnvironment()
		runEach(receiver.Connections(), func() error { return receive(receiver) })
		receiver.PrintResult()
	}
}

func runEach(connections uint64, work func() error) {
	var working sync.WaitGroup
	for range connections {
		working.Add(1)
		go func() {
			defer working.Done()
			if err := work(); err != nil {
				fail(1, err)
			}
		}()
	}
	working.Wait()
}

func fail(status int, reason error) {
	fmt.Fprintln(os.Stderr, reason)
	os.Exit(status)
}
