package e2e

import (
	"maps"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/services/porttest"
)

// TestDoctorWarnsOfProcessesThatDoNotShareUpdates runs two processes on one database, with and without NATS.
func TestDoctorWarnsOfProcessesThatDoNotShareUpdates(t *testing.T) {
	t.Parallel()
	one := install(t, "base")
	port := strconv.Itoa(porttest.Free(t))
	two := &installation{db: one.db, address: "http://localhost:" + port,
		environment: maps.Clone(one.environment)}
	two.environment["SERVICE_API_PORT"] = port
	report := func(environment map[string]string) string {
		t.Helper()
		r := runCommand(t, environment, "", "doctor")
		if status := r.awaitExit(t); status != cli.ExitSuccess {
			t.Fatalf("doctor: exit status %d, want %d: %s", status, cli.ExitSuccess, r.stdout.String())
		}
		return r.stdout.String()
	}
	const warning = "warning   REALTIME_NOT_SHARED: 2 processes of the platform use this database without NATS"
	awaitReport := func(environment map[string]string, text string) {
		t.Helper()
		eventually(t, "doctor says "+text, func() bool { return strings.Contains(report(environment), text) })
	}
	one.start(t)
	awaitReport(one.environment, "Processes: 1 of the platform run on this database.")
	second := two.start(t)
	awaitReport(one.environment, warning)
	withNATS := maps.Clone(one.environment)
	withNATS["SERVICE_REALTIME_NATS_URL"] = "nats://127.0.0.1:1"
	if said := report(withNATS); strings.Contains(said, "REALTIME_NOT_SHARED") ||
		!strings.Contains(said, "Processes: 2 of the platform run on this database.") {
		t.Errorf("doctor with NATS: %s, want two processes and no warning", said)
	}
	second.signal(t, syscall.SIGTERM)
	if status := second.awaitExit(t); status != cli.ExitSuccess {
		t.Errorf("the second process: exit status %d, want %d", status, cli.ExitSuccess)
	}
	awaitReport(one.environment, "Processes: 1 of the platform run on this database.")
}
