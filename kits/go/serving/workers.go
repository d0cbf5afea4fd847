// Runs a server as several processes that share one port.

package serving

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"syscall"
)

// What a worker is started with as its only argument.
const workerMark = "worker"

func isWorker() bool { return len(os.Args) == 2 && os.Args[1] == workerMark }

// runWorkers starts this program so many times, and returns when one of them has ended or it is
// asked to end. Then all have ended.
func runWorkers(workers uint64) error {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGTERM)
	// The kernel ends a worker with the thread that has started it, which must not end before.
	runtime.LockOSThread()

	program, err := os.Executable()
	if err != nil {
		return err
	}
	var running []*exec.Cmd
	ended := make(chan *exec.Cmd)
	defer func() {
		for _, worker := range running {
			worker.Process.Kill()
		}
		for range running {
			<-ended
		}
	}()
	for range workers {
		worker := exec.Command(program, workerMark)
		worker.Stdout, worker.Stderr = os.Stdout, os.Stderr
		worker.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		if err := worker.Start(); err != nil {
			return err
		}
		running = append(running, worker)
		go func() {
			worker.Wait()
			ended <- worker
		}()
	}
	select {
	case <-asked:
		return errors.New("asked to end")
	case worker := <-ended:
		running = slices.DeleteFunc(running, func(each *exec.Cmd) bool { return each == worker })
		return errors.New("a worker has ended")
	}
}
