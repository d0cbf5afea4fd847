// Package kit is shared by the Go clients: it reads the settings, counts, and prints the lines of
// docs/contract.md. Run is the main function of a client; package serving is shared by the servers.
package kit

import (
	"sync"

	"autostrada/kit/environment"
)

// Run runs the workload that the environment variables ask for: it calls a function once per
// connection, each in its own goroutine, and prints the result. The first error ends the program.
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
