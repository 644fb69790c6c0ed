package porttest_test

import (
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/services/leaktest"
	"github.com/narthex-platform/narthex/services/porttest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// TestPortsOfProcesses: two processes take hundreds of ports each from one range, and none twice.
func TestPortsOfProcesses(t *testing.T) {
	const each = 500
	taken := make(map[int]bool)
	for range each {
		taken[porttest.Free(t)] = true
	}
	if os.Getenv("PORTTEST") != "" {
		for port := range taken {
			t.Log("port", port)
		}
		return
	}
	other := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestPortsOfProcesses$", "-test.v")
	other.Env = append(os.Environ(), "PORTTEST=other")
	output, err := other.CombinedOutput()
	if err != nil {
		t.Fatalf("%v:\n%s", err, output)
	}
	for line := range strings.Lines(string(output)) {
		if _, digits, found := strings.Cut(strings.TrimSpace(line), ": port "); found {
			port, err := strconv.Atoi(digits)
			if err != nil || taken[port] {
				t.Errorf("both processes have the port of %q, error %v", line, err)
			}
			taken[port] = true
		}
	}
	if len(taken) != 2*each {
		t.Errorf("%d different ports, want %d", len(taken), 2*each)
	}
}

// TestPortIsUsable: a program can listen to a port that a test holds for it.
func TestPortIsUsable(t *testing.T) {
	port := porttest.Free(t)
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		t.Fatalf("the program that the port is for: %v", err)
	}
	_ = listener.Close()
}
