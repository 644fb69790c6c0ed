package e2e

import (
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/services/database/databasetest"
)

// TestSignals: SIGHUP has no effect, and no signal makes the daemon print its stacks, which contain paths and
// values.
func TestSignals(t *testing.T) {
	t.Parallel()
	i := install(t, "base")
	for signal, name := range map[syscall.Signal]string{
		syscall.SIGQUIT: "SIGQUIT", syscall.SIGABRT: "SIGABRT", syscall.SIGILL: "SIGILL",
		syscall.SIGSEGV: "SIGSEGV", syscall.SIGSYS: "SIGSYS",
	} {
		daemon := i.start(t)
		for range 3 {
			daemon.signal(t, syscall.SIGHUP)
		}
		if got := i.visitor(t).do("GET", "/api/v1/health/ready", nil); got.status != http.StatusOK {
			t.Errorf("ready after SIGHUP: status %d, want 200", got.status)
		}
		daemon.signal(t, signal)
		if status, want := daemon.awaitExit(t), 128+int(signal); status != want {
			t.Errorf("%s: exit status %d, want %d", name, status, want)
		}
		log, said, _ := strings.Cut(daemon.stderr.String(), "Ended by ")
		if said != name+".\n" || strings.Contains(log, "goroutine") {
			t.Errorf("%s: %d bytes on standard error, want a line about the signal and no stack: %.300s", name,
				len(log)+len(said), log)
		}
	}
}

// TestHangupEndsACommand: SIGHUP ends a command that is not a daemon.
func TestHangupEndsACommand(t *testing.T) {
	t.Parallel()
	i := prepare(t, databasetest.New(t))
	databasetest.Lock(t, i.db.Pool(t), `LOCK TABLE core.migration`)
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, syscall.SIGHUP) // else the command would inherit that nohup ignores it
	t.Cleanup(func() { signal.Stop(heard) })
	waiting := startCommand(t, i.environment, "", "migrations:status")
	eventually(t, "the command waits for the ledger", func() bool {
		var n int
		const blocked = `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND ` +
			`wait_event_type = 'Lock'`
		return i.db.Pool(t).QueryRow(t.Context(), blocked).Scan(&n) == nil && n == 1
	})
	waiting.signal(t, syscall.SIGHUP)
	if status := waiting.awaitExit(t); status != cli.ExitFailure {
		t.Errorf("exit status %d, want %d", status, cli.ExitFailure)
	}
}
