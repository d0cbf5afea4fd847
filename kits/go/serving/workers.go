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

// The only argument that a worker is started with.
const workerMark = "worker"

func isWorker() bool { return len(os.Args) == 2 && os.Args[1] == workerMark }

// runWorkers starts this program once per worker. It returns when a worker has ended or SIGTERM
// arrives, after all workers have ended.
func runWorkers(workers uint64) error {
	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM)
	// The kernel kills a worker when the thread that started it ends, so that thread must live on.
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
	case <-terminated:
		return errors.New("asked to end")
	case worker := <-ended:
		running = slices.DeleteFunc(running, func(each *exec.Cmd) bool { return each == worker })
		return errors.New("a worker has ended")
	}
}
