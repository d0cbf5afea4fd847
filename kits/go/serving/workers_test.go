package serving

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The test program starts itself as a server with two workers; each worker is this program again.
const serverMark = "server"

func TestMain(m *testing.M) {
	switch {
	case isWorker():
		fmt.Println(os.Getpid())
		time.Sleep(time.Minute)
	case len(os.Args) == 2 && os.Args[1] == serverMark:
		fmt.Fprintln(os.Stderr, runWorkers(2))
		os.Exit(1)
	default:
		os.Exit(m.Run())
	}
}

// startServer returns a server, its workers, and a pipe that ends when the last of them ends.
func startServer(t *testing.T) (server *exec.Cmd, workers []int, rest io.Reader) {
	server = exec.Command(os.Args[0], serverMark)
	output, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	server.Stderr = os.Stderr
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(output)
	for range 2 {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		worker, err := strconv.Atoi(strings.TrimSpace(line))
		if err != nil {
			t.Fatal(err)
		}
		workers = append(workers, worker)
	}
	return server, workers, lines
}

func TestWorkersHaveEndedWhenTheServerThatWasAskedToEndHas(t *testing.T) {
	server, workers, _ := startServer(t)
	server.Process.Signal(syscall.SIGTERM)
	server.Wait()
	for _, worker := range workers {
		if err := syscall.Kill(worker, 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("worker %d: %v", worker, err)
		}
	}
}

func TestWorkersEndWithAServerThatIsKilled(t *testing.T) {
	server, _, rest := startServer(t)
	server.Process.Kill()
	if _, err := io.ReadAll(rest); err != nil {
		t.Error(err)
	}
	server.Wait()
}

func TestTheEndOfOneWorkerIsTheEndOfAll(t *testing.T) {
	server, workers, rest := startServer(t)
	syscall.Kill(workers[0], syscall.SIGKILL)
	if _, err := io.ReadAll(rest); err != nil {
		t.Error(err)
	}
	if err := server.Wait(); err == nil {
		t.Error("the server has done its work")
	}
}
