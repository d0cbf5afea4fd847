// Package kit is what the Go clients share: the settings, the counting and the lines of
// docs/contract.md. Run puts the parts together; package serving is what the servers share.
package kit

import (
	"sync"

	"autostrada/kit/environment"
)

// Run does the workload that the environment asks for: it calls a function for each connection, in
// a goroutine of its own, and prints the result. The first error ends the program.
func Run(receive func(*Receiver) error, echo func(*Exchanger) error) {
	switch environment.Read(ReadWorkload) {
	case "receive":
		receiver := ReceiverFromEnvironment()
		runEach(receiver.Connections(), func() error { return receive(receiver) })
		receiver.PrintResult()
	case "echo":
		exchanger := ExchangerFromEnvironment()
		runEach(exchanger.Connections(), func() error { return echo(exchanger) })
		exchanger.PrintResult()
	}
}

func runEach(connections uint64, work func() error) {
	var working sync.WaitGroup
	for range connections {
		working.Add(1)
		go func() {
			defer working.Done()
			if err := work(); err != nil {
				environment.Exit(1, err)
			}
		}()
	}
	working.Wait()
}
