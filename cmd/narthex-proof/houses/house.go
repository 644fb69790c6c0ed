package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// house is one installation. Its socket is held here, as systemd does: a connection starts its process.
type house struct {
	binary, folder, address, direct string
	port                            int
	environment                     []string
	socket                          *os.File
	served                          bool // serve runs
	end                             chan struct{}
	ended                           chan struct{}

	mu      sync.Mutex
	running *exec.Cmd // nil: it sleeps
	starts  int
	failed  error // of the last process
}

// listen opens the socket of a house.
func listen(ctx context.Context, binary, folder string) (*house, error) {
	if err := os.Mkdir(folder, 0o700); err != nil {
		return nil, err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	defer listener.Close() // socket is another descriptor of it
	port := listener.Addr().(*net.TCPAddr).Port
	socket, err := listener.(*net.TCPListener).File()
	if err != nil {
		return nil, err
	}
	return &house{binary: binary, folder: folder, port: port, socket: socket, end: make(chan struct{}),
		ended: make(chan struct{}), address: "http://localhost:" + strconv.Itoa(port)}, nil
}

// serve starts the process whenever a connection waits, until close.
func (h *house) serve() {
	defer close(h.ended)
	for {
		select {
		case <-h.end:
			return
		default:
		}
		waiting := []unix.PollFd{{Fd: int32(h.socket.Fd()), Events: unix.POLLIN}}
		if n, _ := unix.Poll(waiting, 200); n == 0 {
			continue
		}
		h.runOnce()
	}
}

// runOnce runs the process to its end.
func (h *house) runOnce() {
	// LISTEN_PID has to be the number of the process itself
	command := exec.Command("sh", "-c", `LISTEN_PID=$$ exec "$0" api:start`, h.binary)
	command.Env = append(h.environment, "LISTEN_FDS=1")
	command.ExtraFiles = []*os.File{h.socket}
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	log, err := os.OpenFile(h.folder+"/log", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		h.failed = err
		return
	}
	defer log.Close()
	command.Stderr = log
	h.mu.Lock()
	h.starts++
	h.failed = command.Start()
	if h.failed == nil {
		h.running = command
	}
	failed := h.failed
	h.mu.Unlock()
	if failed == nil {
		failed = command.Wait()
	}
	h.mu.Lock()
	h.running, h.failed = nil, failed
	h.mu.Unlock()
	if failed != nil {
		time.Sleep(time.Second) // as systemd does
	}
}

// process returns the process id; 0: it sleeps.
func (h *house) process() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.running == nil {
		return 0
	}
	return h.running.Process.Pid
}

// close ends the process, and closes the socket.
func (h *house) close() error {
	close(h.end)
	if !h.served {
		return h.socket.Close()
	}
	if pid := h.process(); pid != 0 {
		_ = syscall.Kill(pid, syscall.SIGTERM)
	}
	<-h.ended
	return h.socket.Close()
}

var errRefused = errors.New("the house refuses")

// ask sends a request on a connection of its own, and returns how long it took.
func ask(ctx context.Context, client *http.Client, address, cookie string) (time.Duration, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return 0, err
	}
	if cookie != "" {
		request.Header.Set("Cookie", cookie)
	}
	began := time.Now()
	response, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return 0, errors.Join(errRefused, errors.New(response.Status+" "+address))
	}
	_, err = discard(response)
	return time.Since(began), err
}
