package e2e

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/storage/storagetest"
)

// unit is an installation whose socket the test holds and whose process it starts, as systemd does.
type unit struct {
	*installation
	socket *os.File
}

func newUnit(t *testing.T, modules ...string) *unit {
	t.Helper()
	u := &unit{installation: install(t, modules...)}
	var listener net.Listener
	listener, u.socket = heldSocket(t)
	u.shortDeadlines = true
	u.address = "http://localhost:" + strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
	u.environment["SERVICE_IDENTITY_BASE_URL"] = u.address
	u.environment["SERVICE_IDLE_EXIT_MINUTES"] = "5" // 5 s with short deadlines
	u.environment["STATE_DIRECTORY"] = t.TempDir()
	u.environment["LISTEN_FDS"] = "1"
	return u
}

// activate waits for a connection in the socket's queue and then starts the process.
func (u *unit) activate(t *testing.T) *invocation {
	t.Helper()
	raw, err := u.socket.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "a connection waits", func() (waits bool) {
		_ = raw.Control(func(fd uintptr) {
			n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
			waits = n == 1 && err == nil
		})
		return waits
	})
	path, err := shortBinary()
	if err != nil {
		t.Fatal(err)
	}
	daemon := newCommand(t, u.environment, "api:start")
	daemon.Args = []string{"sh", "-c", `LISTEN_PID=$$ exec "$0" api:start`, path}
	if daemon.Path, err = exec.LookPath("sh"); err != nil {
		t.Fatal(err)
	}
	daemon.ExtraFiles = []*os.File{u.socket}
	return startPrepared(t, daemon)
}

// TestIdleExit: a process that nobody uses ends, and the next connection starts another one. Clients that
// connect at every moment of the end all get a response: from the process that ends, or from the next one.
func TestIdleExit(t *testing.T) {
	t.Parallel()
	u := newUnit(t, "regular")
	get := func() error {
		// a new connection for each request
		response, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: patience}).
			Get(u.address + "/api/v1/principal")
		if err != nil {
			return err
		}
		defer response.Body.Close()
		if response.StatusCode != http.StatusOK {
			return fmt.Errorf("status %d, want 200", response.StatusCode)
		}
		return nil
	}
	var clients sync.WaitGroup
	var answers atomic.Int64
	clients.Go(func() {
		if err := get(); err != nil {
			t.Errorf("the connection that starts the platform: %v", err)
		}
	})
	process := u.activate(t)
	process.awaitOutput(t, &process.stderr, `"msg":"idle, stopping"`)

	ended := make(chan struct{})
	for range 8 {
		clients.Go(func() {
			for n := 0; ; n++ {
				if err := get(); err != nil {
					t.Errorf("while the process ends, after %d answers: %v", answers.Load(), err)
					return
				}
				answers.Add(1)
				select {
				case <-ended:
					return
				default:
				}
			}
		})
	}
	if code := process.awaitExit(t); code != cli.ExitSuccess {
		t.Errorf("idle: exit %d, want 0", code)
	}
	next := u.activate(t)
	next.awaitOutput(t, &next.stderr, `"msg":"ready"`)
	close(ended)
	clients.Wait()
	if answers.Load() < 8 {
		t.Errorf("%d answers, want one or more for each client", answers.Load())
	}

	stored, err := os.ReadFile(filepath.Join(u.environment["STATE_DIRECTORY"], "wake"))
	if err != nil {
		t.Fatal(err)
	}
	var due int64
	if err := u.db.Pool(t).QueryRow(t.Context(), `SELECT extract(epoch FROM due_at)::bigint
		FROM core.module_schedule`).Scan(&due); err != nil {
		t.Fatal(err)
	}
	wake, err := strconv.ParseInt(strings.TrimSpace(string(stored)), 10, 64)
	if err != nil || wake < due-2 || wake > due+600 { // the file is written after the query
		t.Errorf("the file wake has %q, want the time of the next run, %d", stored, due)
	}
}

// TestIdleHouseWithAllModules: an idle house with all reference modules ends, although Rota has schedules of
// every minute, and the file wake has the time at which the first schedule has something to do. With a mail
// that waits it stays.
func TestIdleHouseWithAllModules(t *testing.T) {
	t.Parallel()
	u := newUnit(t, "home", "announcements", "calendar", "stage", "rota", "countdown")
	u.useObjectStorage("http://" + storagetest.New(t).Address)
	u.environment["SERVICE_MODULE_SECRET__ROTA__LINK_SIGNING_KEY"] = "a key of this test alone, long enough"
	u.db.Exec(t, `UPDATE core.house SET time_zone = $1, rev = rev + 1`, farFromEight())
	u.db.Exec(t, `INSERT INTO core.module_configuration_document (module_id) VALUES ('rota')`)
	u.db.Exec(t, `INSERT INTO core.module_configuration (module_id, key, value) VALUES
		('rota', 'teamName', 'Office'), ('rota', 'dashboardLink', 'https://example.org')`)
	var first sync.WaitGroup
	first.Go(func() { // the connection that starts it
		response, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: patience}).
			Get(u.address + "/api/v1/principal")
		if err != nil {
			t.Error(err)
			return
		}
		_ = response.Body.Close()
	})
	process := u.activate(t)
	first.Wait()
	declared := func() bool {
		var all bool
		err := u.db.Pool(t).QueryRow(t.Context(), `
			SELECT count(DISTINCT module_id) = 4 -- all but home and countdown
			FROM core.module_schedule`).Scan(&all)
		return err == nil && all
	}
	eventually(t, "the schedules are declared", declared)
	u.db.Exec(t, `INSERT INTO module_rota.mail_log (kind, outcome, at) VALUES ('news', 'deferred', now())`)
	due := func() {
		u.db.Exec(t, `UPDATE core.module_schedule SET due_at = now()`)
	}
	eventually(t, "every schedule has run", func() (ran bool) {
		u.db.Exec(t, `UPDATE core.module_schedule SET due_at = now() WHERE ended_at IS NULL AND due_at > now()`)
		err := u.db.Pool(t).QueryRow(t.Context(), `
			SELECT bool_and(ended_at IS NOT NULL) FROM core.module_schedule`).Scan(&ran)
		return err == nil && ran
	})
	if u.rests(t, "mails") {
		t.Error("Rota has nothing to do while a mail waits to be tried again")
	}
	u.db.Exec(t, `UPDATE module_rota.mail_log SET outcome = 'sent'`)
	due()
	process.awaitOutput(t, &process.stderr, `"msg":"idle, stopping"`)
	if code := process.awaitExit(t); code != cli.ExitSuccess {
		t.Errorf("idle: exit %d, want 0", code)
	}
	stored, err := os.ReadFile(filepath.Join(u.environment["STATE_DIRECTORY"], "wake"))
	if err != nil {
		t.Fatal(err)
	}
	var next int64
	if err := u.db.Pool(t).QueryRow(t.Context(), `
		SELECT extract(epoch FROM min(greatest(due_at, rests_until)))::bigint FROM core.module_schedule`).
		Scan(&next); err != nil {
		t.Fatal(err)
	}
	at, err := strconv.ParseInt(strings.TrimSpace(string(stored)), 10, 64)
	if in := at - time.Now().Unix(); err != nil || at < next-2 || at > next+600 || in < 15*60 {
		t.Errorf("the file wake has %q, in %d s; want the time of the next run with work, %d", stored, in, next)
	}
}

// farFromEight returns a zone in which it is not soon eight in the morning: on Mondays Rota has its digest to
// send then, for which the process stays.
func farFromEight() string {
	if hour := time.Now().UTC().Hour(); hour >= 6 && hour <= 8 {
		return "Asia/Tokyo" // nine hours later
	}
	return "UTC"
}

// rests reports whether a schedule of Rota has nothing to do.
func (u *unit) rests(t *testing.T, schedule string) (rests bool) {
	t.Helper()
	if err := u.db.Pool(t).QueryRow(t.Context(), `
		SELECT coalesce(rests_until > now(), false)
		FROM core.module_schedule
		WHERE module_id = 'rota' AND name = $1`,
		schedule).Scan(&rests); err != nil {
		t.Fatal(err)
	}
	return rests
}

// TestIdleExitNeedsASocket: without a socket of systemd nothing would start the process again.
func TestIdleExitNeedsASocket(t *testing.T) {
	t.Parallel()
	i := prepare(t, databasetest.Empty(t))
	i.environment["SERVICE_IDLE_EXIT_MINUTES"] = "5"
	r := i.begin(t)
	if code := r.awaitExit(t); code != cli.ExitFailure ||
		!strings.HasPrefix(r.stderr.String(), "IDLE_EXIT_INVALID: SERVICE_IDLE_EXIT_MINUTES needs the socket") {
		t.Errorf("start without a socket: exit %d and %q, want 1 and IDLE_EXIT_INVALID", code, r.stderr.String())
	}
}
