package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	soakPeople, soakScreens = 10, 200
	killEvery               = 10 * time.Second
	boardEvery              = 12 // one of so many kills is of the module that the screens show

	// growth is the allowed ratio between the medians of a figure in the last and the second quarter. The
	// first quarter is not used, because the platform has not reached its steady state yet.
	growth = 1.05

	// settles is the time until memory reaches a stable level. A shorter soak prints its table without a
	// verdict.
	settles = 10 * time.Minute
)

// soak loads a platform for a while with people, screens and modules. A module is killed every 10 s, and
// PostgreSQL is restarted every 2 minutes. The table shows the platform's use of resources in the second and
// in the last quarter. The error is errFailed if a figure grew, an acknowledged write is missing, or a
// response is not one that the reference describes.
func soak(ctx context.Context, out io.Writer, k *kit, lasts time.Duration) error {
	c := &check{ctx: ctx, kit: k}
	ended := make(chan struct{})
	go func() { // a goroutine, so that fatal can end it
		defer close(ended)
		defer c.cleanUp()
		soakOnce(c, out, lasts)
	}()
	<-ended
	for _, sight := range c.sights {
		fmt.Fprintln(out, sight)
	}
	for _, wrong := range c.wrongs {
		fmt.Fprintln(out, "WRONG", wrong)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case len(c.wrongs) > 0:
		return errFailed
	}
	fmt.Fprintln(out, "passed")
	return nil
}

func soakOnce(c *check, out io.Writer, lasts time.Duration) {
	victims := []string{"victim-1", "victim-2", "victim-3", "victim-4", "victim-5", "victim-6"}
	place, err := newPlace(c.ctx, c.kit, placeOptions{wild: victims})
	c.ok(err, "the installation")
	c.place = place
	c.cleanup(place.close)
	temporary := filepath.Join(place.folder, "temporary")
	c.ok(os.Mkdir(temporary, 0o755), "the folder of temporary files")
	place.environment["CACHE_DIRECTORY"], place.environment["TMPDIR"] = temporary, temporary
	c.ok(place.start(c.ctx), "the start")

	ctx, end := context.WithCancel(c.ctx)
	l := &load{check: c, victims: victims, responses: make(map[string]int), keeps: min(time.Minute, lasts/20)}
	var working, faulting sync.WaitGroup
	c.cleanup(func() { end(); faulting.Wait(); working.Wait() })
	l.makePeople()
	for _, p := range l.people {
		working.Go(func() { l.live(ctx, p) })
	}
	for range soakScreens {
		working.Go(func() { l.screen(ctx) })
	}
	restartEvery := min(2*time.Minute, lasts/8)
	faulting.Go(func() { l.prune(ctx) })
	faulting.Go(func() { l.killModules(ctx) })
	faulting.Go(func() { l.restartDatabase(ctx, restartEvery) })

	fmt.Fprintf(out, "%v: %d people, %d screens, a module is killed every %v, PostgreSQL restarted every %v\n",
		lasts, soakPeople, soakScreens, killEvery, restartEvery)
	samples, scanned := c.sample(ctx, out, lasts, temporary)
	end()
	faulting.Wait()
	working.Wait()
	c.ok(l.databaseBack(), "PostgreSQL at the end")
	l.verify()
	l.report()
	c.judge(out, samples, lasts >= settles)
	printScans(out, scanned)
	status, err := c.stop()
	c.ok(err, "the stop")
	if status != 0 {
		c.wrong("the stop at the end: exit status %d, want 0\n%s", status, c.daemon.tail())
	}
}

// sample is the platform's use of resources at one moment; -1: could not be read.
type sample map[string]float64

// figures are the judged figures, in the order of the table.
func figures() []string {
	return []string{"memory of the daemon (MiB)", "memory of a module never killed (MiB)",
		"goroutines", "descriptors", "temporary files", "rows of the database"}
}

// sample measures 200 times, or once a second if the soak is shorter.
func (c *check) sample(
	ctx context.Context, out io.Writer, lasts time.Duration, temporary string,
) (all []sample, scanned scans) {
	scanned = make(scans)
	counted, err := c.sequentialScans(ctx)
	c.ok(err, "the count of sequential scans")
	tick := time.NewTicker(max(lasts/200, time.Second))
	defer tick.Stop()
	until := time.Now().Add(lasts)
	for time.Now().Before(until) {
		select {
		case <-ctx.Done():
			return all, scanned
		case <-c.daemon.ended:
			c.fatal("the daemon ended:\n%s", c.daemon.tail())
		case <-tick.C:
		}
		all = append(all, c.measure(ctx, temporary))
		if now, err := c.countScans(ctx); err == nil { // otherwise PostgreSQL is being restarted
			scanned.add(counted, now)
			counted = now
		}
		if len(all)%20 == 0 {
			last := all[len(all)-1]
			fmt.Fprintf(out, "%v to go", time.Until(until).Round(time.Second))
			for _, name := range figures() {
				fmt.Fprintf(out, ", %.0f %s", last[name], name)
			}
			fmt.Fprintln(out)
		}
	}
	return all, scanned
}

func (c *check) countScans(ctx context.Context) (scans, error) {
	within, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	return c.sequentialScans(within)
}

// printScans prints how often tables were read as a whole. It is no verdict: a sweep may do so, and a table
// with a few rows is read fastest that way.
func printScans(out io.Writer, scanned scans) {
	fmt.Fprint(out, "sequential scans of tables in which requests look something up:")
	for _, table := range slices.Sorted(maps.Keys(scanned)) {
		fmt.Fprintf(out, " %s %d", table, scanned[table])
	}
	fmt.Fprintln(out)
}

func (c *check) measure(ctx context.Context, temporary string) sample {
	names := figures()
	descriptors, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", c.daemon.pid()))
	files := 0
	_ = filepath.WalkDir(temporary, func(_ string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			files++
		}
		return nil
	})
	s := sample{names[0]: float64(anonymousMemory(c.daemon.pid())) / 1024,
		names[1]: float64(anonymousMemory(c.moduleProcess("base"))) / 1024, names[3]: float64(len(descriptors)),
		names[4]: float64(files), names[2]: c.metric(ctx, "go_goroutines"), names[5]: -1}
	within, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	if rows, err := c.countRows(within); err == nil {
		s[names[5]] = float64(rows)
	}
	return s
}

// judge prints the table. If the soak was not long enough, it prints that instead of a verdict.
func (c *check) judge(out io.Writer, samples []sample, long bool) {
	quarter := len(samples) / 4
	if quarter < 3 {
		c.wrong("there are %d samples only", len(samples))
		return
	}
	fmt.Fprintf(out, "%-44s %14s %14s %8s  %s\n", "median of", "second quarter", "last quarter", "ratio", "")
	for _, name := range figures() {
		before := medianOf(samples[quarter:2*quarter], name)
		after := medianOf(samples[3*quarter:], name)
		verdict, ratio := "flat", 1.0
		if before > 0 {
			ratio = after / before
		}
		switch {
		case !long:
			verdict = "too short to tell"
		case after > before*growth:
			verdict = "GROWS"
			c.wrong("%s grew from %.1f to %.1f", name, before, after)
		}
		fmt.Fprintf(out, "%-44s %14.1f %14.1f %8.3f  %s\n", name, before, after, ratio, verdict)
	}
}

func medianOf(samples []sample, name string) float64 {
	var values []float64
	for _, s := range samples {
		if value := s[name]; value >= 0 {
			values = append(values, value)
		}
	}
	if len(values) == 0 {
		return -1
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// killModules kills one module after another, if it runs at that moment.
func (l *load) killModules(ctx context.Context) {
	tick := time.NewTicker(killEvery)
	defer tick.Stop()
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		candidates := slices.Concat(l.victims[n%len(l.victims):], l.victims[:n%len(l.victims)])
		if n%boardEvery == 0 {
			candidates = []string{"board"}
		}
		for _, id := range candidates {
			if pid := l.moduleProcess(id); pid != 0 && syscall.Kill(pid, syscall.SIGKILL) == nil {
				l.kills.Add(1)
				break
			}
		}
	}
}

// restartDatabase regularly stops PostgreSQL and starts it again on the same port.
func (l *load) restartDatabase(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := l.replaceDatabase(); err != nil {
			l.wrong("PostgreSQL did not come back: %v", err)
			return
		}
		l.restarts.Add(1)
	}
}

// summary returns the counts by response, the most frequent first.
func summary(counts map[string]int) string {
	var parts []string
	for response, count := range counts {
		parts = append(parts, fmt.Sprintf("%7d × %s", count, response))
	}
	slices.Sort(parts)
	slices.Reverse(parts)
	return strings.Join(parts, "\n")
}
