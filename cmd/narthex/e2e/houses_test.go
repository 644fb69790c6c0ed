package e2e

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// The addresses that narthexctl gives the first two houses.
const grace, hope = "http://127.0.0.1:3100", "http://127.0.0.1:3101"

// TestManyHouses makes, upgrades and removes houses on a minimal Debian with the commands of
// docs/operations/many-houses.md. Their programs are idle after 5 s instead of 5 minutes.
func TestManyHouses(t *testing.T) {
	root, err := machineRoot()
	if err != nil {
		t.Skip(err)
	}
	shared := sharedFolder(t)
	makePackages(t, shared, "nomsgpack,shortdeadlines")
	m := bootMachine(t, root, shared)
	h := &houses{machine: m}
	m.run("cp /srv/older/*.deb /srv/announcements-* /root")
	page := blocksOf(t, "../../../docs/operations/many-houses.md")
	m.follow(page, "")
	m.run("sed --in-place s/IDLE_EXIT_MINUTES=15/IDLE_EXIT_MINUTES=5/ /etc/narthex/houses/*.env")
	m.run("systemctl try-restart 'narthex@*.service'")

	h.checkUnits()
	h.checkSleep()
	h.checkWake()
	h.checkWalls()
	m.run("systemctl start narthex-backup@grace.service\nls /var/backups/narthex-houses/grace/20*.narthex")

	m.run("rm /root/*.deb; cp /srv/newer/*.deb /root")
	h.checkRefusedUpgrade()
	stop := h.load()
	m.follow(page, "upgrade")
	stop()
	if got := m.run("narthexctl --house hope migrations:status"); !strings.Contains(got, "newer") ||
		strings.Contains(got, "pending") {
		t.Errorf("after the upgrade hope has the migrations\n%s\nwant newer among them, and none pending", got)
	}
	m.follow(page, "removing")
	h.checkRemoved()
}

// houses are the houses of a machine.
type houses struct{ *machine }

// client connects anew for each request, as the proxy on the machine.
func (h *houses) client() *http.Client {
	return &http.Client{Timeout: patience,
		Transport: forwarded{&http.Transport{DialContext: h.dial, DisableKeepAlives: true}}}
}

// forwarded adds the header of the proxy.
type forwarded struct{ http.RoundTripper }

func (f forwarded) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-Forwarded-For", "192.0.2.77")
	return f.RoundTripper.RoundTrip(r)
}

func (h *houses) assertServes(address string) {
	h.t.Helper()
	if err := get(h.client(), address+"/api/v1/principal"); err != nil {
		h.t.Errorf("a house: %v", err)
	}
}

func (h *houses) is(unit, state string) bool {
	return strings.TrimSpace(h.run("systemctl is-active "+unit+" || true")) == state
}

func (h *houses) checkUnits() {
	h.t.Helper()
	said := h.run(`for unit in narthex@grace.service narthex@grace.socket narthex@grace.timer \
	narthex-wake@grace.service narthex-backup@grace.service narthex-backup@grace.timer; do
	systemd-analyze verify --man=no $unit 2>&1
done`)
	if said != "" {
		h.t.Errorf("systemd-analyze verify says\n%s", said)
	}
	if said := h.run("narthexctl --house grace doctor || true"); strings.Contains(said, "blocking") {
		h.t.Errorf("doctor of a new house says\n%s", said)
	}
}

// checkSleep: a house that nobody uses is off, and the next connection starts it.
func (h *houses) checkSleep() {
	h.t.Helper()
	for range 2 {
		h.t.Logf("the first request took %s s", h.run("curl --silent --fail --output /dev/null "+
			"--header 'X-Forwarded-For: 192.0.2.77' --write-out '%{time_total}' "+grace+"/api/v1/principal"))
		eventually(h.t, "grace sleeps", func() bool { return h.is("narthex@grace.service", "inactive") })
		if got := h.run("systemctl show --property=Result,NRestarts narthex@grace.service"); got !=
			"Result=success\nNRestarts=0\n" {
			h.t.Errorf("asleep: %s, want a success and no restart", got)
		}
		if !h.is("narthex@grace.socket", "active") {
			h.t.Error("asleep: its socket does not listen")
		}
	}
	if got := h.run("narthexctl list"); !strings.Contains(got, "grace") || !strings.Contains(got, "asleep") ||
		!strings.Contains(got, "3101  https://hope.example.org\n") {
		h.t.Errorf("narthexctl list says\n%s", got)
	}
}

// checkWake: what the timer starts wakes a house exactly if a scheduled run is due.
func (h *houses) checkWake() {
	h.t.Helper()
	eventually(h.t, "grace sleeps", func() bool { return h.is("narthex@grace.service", "inactive") })
	h.run("systemctl stop narthex@grace.timer")
	wake := "/var/lib/narthex-houses/grace/wake"
	h.run("test $(cat " + wake + ") -gt $(date +%s)\nsystemctl start narthex-wake@grace.service")
	if h.is("narthex@grace.service", "active") || h.is("narthex-wake@grace.service", "failed") {
		h.t.Error("a run that is due later has started the house, or the unit failed")
	}
	for _, change := range []string{"echo 1 >" + wake, "rm " + wake} {
		eventually(h.t, "grace sleeps", func() bool { return h.is("narthex@grace.service", "inactive") })
		h.run(change + "\nsystemctl start narthex-wake@grace.service")
		eventually(h.t, "grace is woken", func() bool { return h.is("narthex@grace.service", "active") })
	}
}

// checkWalls: the user of one house can read nothing of another's.
func (h *houses) checkWalls() {
	h.t.Helper()
	h.assertServes(hope) // so that it has a process, and its folders
	h.run(`as() { setpriv --reuid=narthex-grace --regid=narthex-grace --init-groups -- "$@"; }
as cat /etc/narthex/houses/grace.env >/dev/null
as ls /var/lib/narthex-houses/grace /var/backups/narthex-houses/grace >/dev/null
for path in /etc/narthex/houses/hope.env /var/lib/narthex-houses/hope /var/backups/narthex-houses/hope \
	/run/narthex-houses/hope /proc/$(systemctl show --property=MainPID --value narthex@hope.service)/environ; do
	test -e $path
	if as cat $path 2>/dev/null || as ls -A $path/ 2>/dev/null; then
		echo "grace reads $path"
		exit 1
	fi
done
url=$(sed -n s/^DATABASE_URL=//p /etc/narthex/houses/grace.env)
test "$(as psql -Atc 'SELECT 1' "$url")" = 1
if as psql -Atc 'SELECT 1' "${url%/*}/narthex_hope" 2>/dev/null; then
	echo "grace connects to the database of hope"
	exit 1
fi`)
}

// checkRefusedUpgrade: when the rehearsal of one house fails, the upgrade stops, names it and changes
// nothing.
func (h *houses) checkRefusedUpgrade() {
	h.t.Helper()
	damage := func(with string) {
		h.run(`cd / && su postgres -c "psql --quiet narthex_hope" <<SQL
UPDATE core.migration SET checksum = ` + with + ` WHERE line = 'core' AND version = 1
SQL`)
	}
	damage("reverse(checksum)")
	said := h.run(`before=$(dpkg-query --show narthex; narthexctl --house grace migrations:status)
if narthexctl upgrade /root/narthex_*.deb 2>&1; then
	echo "the upgrade was not refused"
	exit 1
fi
test "$before" = "$(dpkg-query --show narthex; narthexctl --house grace migrations:status)"`)
	if !strings.Contains(said, "narthexctl: hope could not be upgraded; nothing was changed") ||
		!strings.Contains(said, "MIGRATION_HISTORY_CHANGED") {
		h.t.Errorf("an upgrade that one house cannot have says\n%s", said)
	}
	damage("reverse(checksum)")
}

// load sends requests to both houses, each with a new connection, until it is stopped: to grace at once, and
// to hope, which sleeps, when the newer program is installed and its schema is not migrated. Every request
// must succeed.
func (h *houses) load() (stop func()) {
	ctx, cancel := context.WithCancel(h.t.Context())
	var workers sync.WaitGroup
	var answered atomic.Int64
	eventually(h.t, "hope sleeps", func() bool { return h.is("narthex@hope.service", "inactive") })
	program := fmt.Sprintf("/proc/%d/root/usr/bin/narthex", h.first)
	older, err := os.Stat(program)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, address := range []string{grace, hope} {
		workers.Go(func() {
			for pace := time.NewTicker(5 * time.Millisecond); address == hope && ctx.Err() == nil; <-pace.C {
				if newer, err := os.Stat(program); err == nil && !os.SameFile(newer, older) {
					break
				}
			}
			for client := h.client(); ctx.Err() == nil; answered.Add(1) {
				if err := get(client, address+"/api/v1/principal"); err != nil {
					h.t.Errorf("during the upgrade, after %d answers: %v", answered.Load(), err)
					return
				}
			}
		})
	}
	return func() {
		cancel()
		workers.Wait()
		early := h.run(
			"journalctl --unit narthex@hope --output cat --no-pager | grep --count SCHEMA_OUTDATED || true")
		h.t.Logf("during the upgrade %d requests were answered; hope started too early %s times",
			answered.Load(), strings.TrimSpace(early))
	}
}

// checkRemoved: of a removed house only its last backup is left, and the other serves.
func (h *houses) checkRemoved() {
	h.t.Helper()
	left := h.run(`find /etc /var /run -xdev -path '*hope*' -not -path '/var/log/*' | sort
getent passwd narthex-hope || true
systemctl list-units --all --no-legend '*hope*'
cd / && su postgres -c "psql -Atc \"SELECT datname FROM pg_database WHERE datname ~ 'hope'
	UNION SELECT rolname FROM pg_roles WHERE rolname ~ 'hope'\""`)
	if !strings.Contains(left, "/var/backups/narthex-houses/hope/removed.narthex\n") {
		h.t.Errorf("no last backup in\n%s", left)
	}
	for line := range strings.Lines(left) {
		if !strings.HasPrefix(line, "/var/backups/narthex-houses/hope") {
			h.t.Errorf("after the removal there is %s", line)
		}
	}
	h.assertServes(grace)
}
