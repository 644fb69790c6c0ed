package e2e

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// TestFootprint measures the resources that a congregation needs: one, two and four installations with all
// reference modules on one database server, first idle, and then with the phones and screens of a Sunday. It
// prints the figures of docs/scaling.md. It takes some minutes, and runs only with NARTHEX_FIGURES=1.
func TestFootprint(t *testing.T) {
	if os.Getenv("NARTHEX_FIGURES") == "" {
		t.Skip("it measures: NARTHEX_FIGURES=1 asks for it")
	}
	const window = 40 * time.Second
	var all congregations
	for _, number := range []int{1, 2, 4} {
		for len(all) < number {
			i, daemon := startSunday(t)
			all = append(all, congregation{i, daemon})
		}
		settles := 45 * time.Second // idle connections of modules are closed after 30 to 40 s
		if number == 1 {
			settles = 5 * time.Minute // the runtime returns the memory of a start within minutes
		}
		pause(t.Context(), settles)
		before := all.usage(t)
		pause(t.Context(), window)
		all.log(t, "idle", before, all.usage(t), 0)
	}

	ctx, end := context.WithCancel(t.Context())
	defer end()
	var load sync.WaitGroup
	all[0].logStreams(t)
	var requests, failures atomic.Int64
	const phones, screens = 40, 12
	for _, c := range all {
		owner := c.visitorFrom(t, 1).signInAs(t, ownerAddress)
		for n := range screens {
			screen := c.visitorFrom(t, 10+n)
			screen.cookie, _ = c.pairScreenWith(t, owner, 10+n, "stage")
			load.Go(func() { listen(ctx, screen, make(chan heardAt, 1000)) })
		}
		for n := range phones {
			member := c.visitorFrom(t, 100+n)
			member.cookie = owner.cookie
			load.Go(func() { phone(ctx, member, time.Duration(n)*10*time.Second/phones, &requests, &failures) })
		}
	}
	pause(t.Context(), 10*time.Second) // until each phone has sent its first request
	before, asked := all.usage(t), requests.Load()
	pause(t.Context(), window)
	after, answered := all.usage(t), requests.Load()-asked
	end()
	load.Wait()
	all.log(t, "Sunday", before, after, answered)
	if failures.Load() > 0 {
		t.Errorf("%d of %d requests failed", failures.Load(), requests.Load())
	}
}

// congregation is one installation with its running process.
type congregation struct {
	*installation
	daemon *invocation
}

type congregations []congregation

// usage is what all installations have used so far, and what they hold now.
type usage struct {
	at                                     time.Time
	platform, server                       float64 // seconds of processor time
	platformMemory, moduleMemory, sessions float64 // MiB, counting a shared page in proportion
	modules, connections                   int
	transactions                           int64
	stored                                 float64 // MiB of the databases
}

func (all congregations) usage(t *testing.T) (u usage) {
	t.Helper()
	u.at = time.Now()
	serverProcess := 0 // its parent is the postmaster
	for _, c := range all {
		family := familyOf(c.daemon.command.Process.Pid)
		u.platform += processorTime(family)
		u.platformMemory += memoryOf(t, family[:1])
		u.moduleMemory += memoryOf(t, family[1:])
		u.modules += len(family) - 1
		var connections int
		var transactions, stored int64
		conn, err := pgx.Connect(t.Context(), c.db.URL)
		if err != nil {
			t.Fatal(err)
		}
		if err := conn.QueryRow(t.Context(), `
			SELECT (SELECT count(*) FROM pg_stat_activity
				WHERE datname = d.datname AND pid <> pg_backend_pid()),
			       xact_commit + xact_rollback, pg_database_size(d.datname),
			       (SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer')
			FROM pg_stat_database d WHERE datname = current_database()`).
			Scan(&connections, &transactions, &stored, &serverProcess); err != nil {
			t.Fatal(err)
		}
		_ = conn.Close(t.Context())
		u.connections += connections
		u.transactions += transactions
		u.stored += float64(stored) / (1 << 20)
	}
	postmaster, err := strconv.Atoi(statOf(serverProcess)[1])
	if err != nil {
		t.Fatal(err)
	}
	sessions := familyOf(postmaster)
	u.server, u.sessions = processorTime(sessions), memoryOf(t, sessions)
	return u
}

// log prints the average per installation between two measurements.
func (all congregations) log(t *testing.T, when string, before, after usage, requests int64) {
	t.Helper()
	n, lasted := float64(len(all)), after.at.Sub(before.at).Seconds()
	used, served := after.platform-before.platform, after.server-before.server
	t.Logf("%d congregations, %s, of each: platform and modules %.1f ms/s, PostgreSQL %.1f ms/s of a "+
		"processor; memory %.0f MiB the platform, %.0f MiB %d modules, %.0f MiB PostgreSQL; %.1f connections, "+
		"%.1f transactions a second, %.1f MiB stored", len(all), when, used*1000/n/lasted, served*1000/n/lasted,
		after.platformMemory/n, after.moduleMemory/n, after.modules/len(all), after.sessions/n,
		float64(after.connections)/n, float64(after.transactions-before.transactions)/n/lasted, after.stored/n)
	if requests > 0 {
		t.Logf("%.1f requests a second of each; %.2f ms of a processor for one, and %.2f ms of PostgreSQL's",
			float64(requests)/n/lasted, used*1000/float64(requests), served*1000/float64(requests))
	}
}

// logStreams prints the cost of an idle stream, measured with many.
func (c congregation) logStreams(t *testing.T) {
	t.Helper()
	const streams = 500
	ctx, end := context.WithCancel(t.Context())
	var open sync.WaitGroup
	defer open.Wait()
	defer end()
	owner := c.visitorFrom(t, 1).signInAs(t, ownerAddress)
	pid := c.daemon.command.Process.Pid
	descriptors := func() int {
		entries, err := os.ReadDir("/proc/" + strconv.Itoa(pid) + "/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	before, connections := memoryOf(t, []int{pid}), descriptors()
	for range streams {
		open.Go(func() { listen(ctx, owner, make(chan heardAt, 1000)) })
	}
	eventually(t, "the streams are open", func() bool { return descriptors() >= connections+streams })
	pause(ctx, 5*time.Second) // until their snapshots have arrived
	t.Logf("%d streams: %.0f KiB of the platform each", streams,
		(memoryOf(t, []int{pid})-before)*1024/streams)
}

// statOf returns the fields of a process's stat after its name; all "0" for a process that has ended.
func statOf(pid int) []string {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return strings.Fields(strings.Repeat("0 ", 20))
	}
	return strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
}

// familyOf returns a process and its children.
func familyOf(parent int) []int {
	pids := []int{parent}
	entries, _ := filepath.Glob("/proc/[0-9]*")
	for _, entry := range entries {
		pid, err := strconv.Atoi(filepath.Base(entry))
		if err == nil && statOf(pid)[1] == strconv.Itoa(parent) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// processorTime returns the seconds of processor time that processes and their ended children have used.
// Linux counts in hundredths of a second.
func processorTime(pids []int) (seconds float64) {
	for _, pid := range pids {
		for _, ticks := range statOf(pid)[11:15] {
			n, _ := strconv.ParseFloat(ticks, 64)
			seconds += n / 100
		}
	}
	return seconds
}

// memoryOf returns the proportional set size of processes in MiB: a page that several processes share is
// divided among them.
func memoryOf(t *testing.T, pids []int) (mebibytes float64) {
	t.Helper()
	for _, pid := range pids {
		rollup, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/smaps_rollup")
		_, rest, found := strings.Cut(string(rollup), "\nPss:")
		if err != nil || !found {
			continue // it has ended
		}
		kibibytes, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
		if err != nil {
			t.Fatal(err)
		}
		mebibytes += kibibytes / 1024
	}
	return mebibytes
}

// pause waits for d, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
