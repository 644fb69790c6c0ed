package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

func discard(response *http.Response) (int64, error) { return io.Copy(io.Discard, response.Body) }

// usage is what processes have used and hold.
type usage struct {
	processor         float64 // seconds
	memory            float64 // MiB, counting a shared page in proportion
	processes, server int     // of the platform; sessions of PostgreSQL
}

// measure makes houses until there are size, and prints what they need asleep, awake and on a Sunday.
func (f *fleet) measure(ctx context.Context, size int) error {
	began := time.Now()
	if err := f.grow(ctx, size); err != nil {
		return err
	}
	fmt.Printf("\n%d houses, made in %.0f s; %.0f MiB of databases\n", size,
		time.Since(began).Seconds(), f.stored(ctx))
	if err := f.sleep(ctx); err != nil {
		return err
	}
	platform, server := f.usage(ctx)
	fmt.Printf("all asleep: %d processes of the platform, PostgreSQL and PgBouncer %.0f MiB, %d sessions\n",
		platform.processes, server.memory, server.server)
	firsts, err := f.wakeAll(ctx)
	if err != nil {
		return err
	}
	platform, server = f.usage(ctx)
	fmt.Printf("first requests of sleeping houses, one after the other: %s; %.2f s of a processor each\n",
		summary(firsts), platform.processor/float64(size))
	fmt.Printf("all awake: %d processes, %.0f MiB (%.1f each house), PostgreSQL and PgBouncer %.0f MiB, %d "+
		"sessions\n", platform.processes, platform.memory, platform.memory/float64(size), server.memory,
		server.server)
	if err := f.sleep(ctx); err != nil {
		return err
	}
	return f.sundayMorning(ctx, min(f.busy, size))
}

// wakeAll sends each house its first request.
func (f *fleet) wakeAll(ctx context.Context) (took []time.Duration, err error) {
	for _, h := range f.houses {
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		one, err := ask(ctx, client, h.address+"/api/v1/principal", "")
		if err != nil {
			return nil, fmt.Errorf("%w; %w; see %s", err, h.failed, h.folder)
		}
		took = append(took, one)
	}
	return took, nil
}

// sleep waits until no house has a process.
func (f *fleet) sleep(ctx context.Context) error {
	awake := 0
	for deadline := time.Now().Add(f.idle); time.Now().Before(deadline) && ctx.Err() == nil; {
		pause(ctx, time.Second)
		awake = 0
		for _, h := range f.houses {
			if h.process() != 0 {
				awake++
			}
		}
		if awake == 0 {
			return nil
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("%d houses are awake after %v without a request", awake, f.idle)
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// usage returns what the platform's processes have, and what those of PostgreSQL and PgBouncer have.
func (f *fleet) usage(ctx context.Context) (platform, server usage) {
	children := childrenOf()
	for _, h := range f.houses {
		if pid := h.process(); pid != 0 {
			platform.add(family(children, pid))
		}
	}
	server.add(family(children, f.postgres.PID()))
	server.add(family(children, f.pooler.PID()))
	server.processes = 0
	conn, err := pgx.Connect(ctx, f.postgres.URL("postgres")+"?sslmode=disable")
	if err == nil {
		defer func() { _ = conn.Close(ctx) }()
		_ = conn.QueryRow(ctx, `SELECT count(*) FROM pg_stat_activity
			WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`).Scan(&server.server)
	}
	return platform, server
}

func (f *fleet) stored(ctx context.Context) (mebibytes float64) {
	conn, err := pgx.Connect(ctx, f.postgres.URL("postgres")+"?sslmode=disable")
	if err != nil {
		return 0
	}
	defer func() { _ = conn.Close(ctx) }()
	_ = conn.QueryRow(ctx, `SELECT sum(pg_database_size(oid))::float8 / 1048576 FROM pg_database
		WHERE datname LIKE 'house\_%'`).Scan(&mebibytes)
	return mebibytes
}

// childrenOf returns the children of every process.
func childrenOf() map[int][]int {
	children := make(map[int][]int)
	entries, _ := filepath.Glob("/proc/[0-9]*")
	for _, entry := range entries {
		pid, err := strconv.Atoi(filepath.Base(entry))
		if err != nil {
			continue
		}
		if parent, err := strconv.Atoi(stat(pid)[1]); err == nil {
			children[parent] = append(children[parent], pid)
		}
	}
	return children
}

func family(children map[int][]int, pid int) []int {
	all := []int{pid}
	for _, child := range children[pid] {
		all = append(all, family(children, child)...)
	}
	return all
}

// stat returns the fields of /proc/PID/stat after the name; zeros for a process that has ended.
func stat(pid int) []string {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	if err != nil || len(fields) < 15 {
		return strings.Fields(strings.Repeat("0 ", 20))
	}
	return fields
}

// add adds processes. Linux counts processor time in hundredths of a second.
func (u *usage) add(pids []int) {
	for _, pid := range pids {
		u.processes++
		for _, ticks := range stat(pid)[11:15] {
			n, _ := strconv.ParseFloat(ticks, 64)
			u.processor += n / 100
		}
		rollup, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/smaps_rollup")
		if _, rest, found := strings.Cut(string(rollup), "\nPss:"); found {
			kibibytes, _ := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			u.memory += kibibytes / 1024
		}
	}
}

// summary describes durations.
func summary(all []time.Duration) string {
	if len(all) == 0 {
		return "none"
	}
	slices.Sort(all)
	at := func(part float64) time.Duration {
		return all[min(len(all)-1, int(part*float64(len(all))))].Round(time.Millisecond / 10)
	}
	return fmt.Sprintf("%d, median %v, 99 of 100 within %v, longest %v", len(all), at(0.5), at(0.99),
		all[len(all)-1].Round(time.Millisecond/10))
}
