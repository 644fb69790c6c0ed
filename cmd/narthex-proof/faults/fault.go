package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// patience limits every wait. No duration is judged.
const patience = 2 * time.Minute

// errFailed means that the platform did not pass at least one fault; the report has the details.
var errFailed = errors.New("faults failed")

// fault is one fault with its check.
type fault struct {
	name     string // family/fault; -run matches it
	done     string
	expected string // according to the reference and the handbook
	place    placeOptions
	absent   func() string // why this machine cannot run it; nil: every machine can
	run      func(c *check)
}

// allFaults returns the faults of all families.
func allFaults() []fault {
	return slices.Concat(moduleFaults(), databaseFaults(), patroniFaults(), neighbourFaults(), severalFaults(),
		clientFaults(), signalFaults(), resourceFaults(), clockFaults())
}

// printList prints the faults that match.
func printList(out io.Writer, chosen *regexp.Regexp) {
	for _, f := range allFaults() {
		if chosen.MatchString(f.name) {
			fmt.Fprintf(out, "%s\n  done      %s\n  expected  %s\n", f.name, f.done, f.expected)
		}
	}
}

// runFaults runs one fault after another, each with an installation of its own.
func runFaults(ctx context.Context, out io.Writer, k *kit, chosen *regexp.Regexp) error {
	passed, failed, skipped := 0, 0, 0
	for _, f := range allFaults() {
		if !chosen.MatchString(f.name) {
			continue
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if f.absent != nil {
			if why := f.absent(); why != "" {
				skipped++
				fmt.Fprintf(out, "skip  %s\n      %s\n", f.name, why)
				continue
			}
		}
		began := time.Now()
		c := &check{ctx: ctx, kit: k}
		c.try(f)
		verdict := "ok   "
		if len(c.wrongs) > 0 {
			verdict, failed = "FAIL ", failed+1
		} else {
			passed++
		}
		fmt.Fprintf(out, "%s %s (%.1f s)\n      done      %s\n      seen      %s\n      expected  %s\n",
			verdict, f.name, time.Since(began).Seconds(), f.done, strings.Join(c.sights, "; "), f.expected)
		for _, wrong := range c.wrongs {
			fmt.Fprintf(out, "      WRONG     %s\n", wrong)
		}
		if len(c.wrongs) > 0 && c.place != nil && c.daemon != nil {
			fmt.Fprintf(out, "      the log's last lines:\n%s\n", c.daemon.tail())
		}
	}
	fmt.Fprintf(out, "%d passed, %d failed", passed, failed)
	if skipped > 0 {
		fmt.Fprintf(out, ", %d not possible here", skipped)
	}
	fmt.Fprintln(out)
	if failed > 0 || passed+skipped == 0 {
		return errFailed
	}
	return nil
}

// check is one running fault. Its methods may be called by several goroutines, except fatal and ok, which
// only the fault's own goroutine may call.
type check struct {
	*place
	ctx context.Context
	kit *kit

	confirmed atomic.Int64 // number of notes that tellOnce wrote

	mu       sync.Mutex
	sights   []string
	wrongs   []string
	cleanups []func()
}

// maxWrongs limits how many findings of one fault are printed.
const maxWrongs = 12

// try runs a fault to its end.
func (c *check) try(f fault) {
	ended := make(chan struct{})
	go func() { // a goroutine, so that fatal can end it
		defer close(ended)
		defer c.cleanUp()
		place, err := newPlace(c.ctx, c.kit, f.place)
		c.ok(err, "the installation")
		c.place = place
		c.cleanup(place.close)
		if !f.place.notStarted {
			c.ok(place.start(c.ctx), "the start")
		}
		f.run(c)
	}()
	<-ended
}

func (c *check) cleanup(done func()) { c.cleanups = append(c.cleanups, done) }

func (c *check) cleanUp() {
	for _, done := range slices.Backward(c.cleanups) {
		done()
	}
}

// saw adds a line to the report.
func (c *check) saw(format string, arguments ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sights = append(c.sights, fmt.Sprintf(format, arguments...))
}

// wrong records a deviation from what is expected; the fault continues.
func (c *check) wrong(format string, arguments ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.wrongs) < maxWrongs {
		c.wrongs = append(c.wrongs, fmt.Sprintf(format, arguments...))
	}
}

// fatal records a deviation and ends the fault.
func (c *check) fatal(format string, arguments ...any) {
	c.wrong(format, arguments...)
	runtime.Goexit()
}

// ok calls fatal unless err is nil.
func (c *check) ok(err error, what string) {
	if err != nil {
		c.fatal("%s: %v", what, err)
	}
}

// eventually waits until a condition is true. It depends on another process, so it can only be polled.
func (c *check) eventually(what string, condition func() bool) {
	if !c.within(patience, condition) {
		c.fatal("not reached within %v: %s", patience, what)
	}
}

// within reports whether a condition became true in time.
func (c *check) within(limit time.Duration, condition func() bool) bool {
	for deadline := time.Now().Add(limit); !condition(); {
		if time.Now().After(deadline) || c.ctx.Err() != nil {
			return false
		}
		time.Sleep(10 * time.Millisecond)
	}
	return true
}
