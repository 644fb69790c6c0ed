// Package natstest runs NATS servers for tests, each as a process of its own (cmd/narthex-proof/nats).
package natstest

import (
	"bufio"
	"net"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/narthex-platform/narthex/services/buildtest"
)

// Options are what a server asks of its clients. CertFile and KeyFile make it use TLS.
type Options struct {
	Username, Password string
	CertFile, KeyFile  string
}

// program is the server's path.
var program = sync.OnceValues(func() (string, error) { return buildtest.Tool("nats") })

// Start runs a server on a port, or on any free one if port is 0. kill ends it, as the end of the test does.
func Start(t testing.TB, port int, options Options) (bound int, kill func()) {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	if port == 0 {
		port = -1
	}
	command := exec.Command(path, "-port", strconv.Itoa(port), "-username", options.Username, "-password",
		options.Password, "-certificate", options.CertFile, "-key", options.KeyFile)
	said, err := command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := command.StdinPipe(); err != nil { // its end is the server's
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	kill = sync.OnceFunc(func() {
		_ = command.Process.Kill()
		_ = command.Wait() // reports the signal
	})
	t.Cleanup(kill)
	line, _ := bufio.NewReader(said).ReadString('\n')
	_, text, err := net.SplitHostPort(strings.TrimSpace(line))
	if err != nil {
		t.Fatalf("the NATS server said %q: %v", line, err)
	}
	if bound, err = strconv.Atoi(text); err != nil {
		t.Fatalf("the NATS server said %q: %v", line, err)
	}
	return bound, kill
}
