package metrics_test

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/narthex-platform/narthex/services/leaktest"
	"github.com/narthex-platform/narthex/services/metrics"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// TestSocketIsForItsGroup: whatever the umask is, others cannot connect to the socket.
func TestSocketIsForItsGroup(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "metrics.sock")
	ctx, stop := context.WithCancel(t.Context())
	listener := metrics.NewListener("unix", socket, metrics.New("1.0.0", nil))
	served := make(chan error, 1)
	go func() { served <- listener.Serve(ctx) }()
	<-listener.Ready()
	if info, err := os.Stat(socket); err != nil || info.Mode().Perm() != 0o660 {
		t.Errorf("the socket: %v, error %v, want the mode 0660", info, err)
	}
	stop()
	if err := <-served; !errors.Is(err, context.Canceled) {
		t.Errorf("Serve after a stop: error %v, want %v", err, context.Canceled)
	}
}

// TestSocketOfAnotherProcess: a socket on which somebody listens is left alone.
func TestSocketOfAnotherProcess(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "metrics.sock")
	other, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	listener := metrics.NewListener("unix", socket, metrics.New("1.0.0", nil))
	served := make(chan error, 1)
	go func() { served <- listener.Serve(ctx) }()
	select {
	case err := <-served:
		if !errors.Is(err, metrics.ErrAddress) {
			t.Errorf("Serve: error %v, want %v", err, metrics.ErrAddress)
		}
	case <-listener.Ready():
		t.Error("the socket was taken from the process that listens on it")
		stop()
		<-served
	}
}
