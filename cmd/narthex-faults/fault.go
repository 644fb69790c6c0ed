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

// patience bounds every wait for something that has to come. Nothing is judged by how long it took.
const patience = 2 * time.Minute

// errFailed tells that at least one fault was not borne; the report has said the rest.
var errFailed = errors.New("faults failed")

// fault is one thing that goes wrong.
type fault struct {
	name     string // family/fault, what -run matches
	done     string
	expected string // as the reference and the handbook promise
	place    placeOptions
	absent   func() string // why this machine cannot have it; nil: every machine can
	run      func(c *check)
}

// allFaults are those of all families.
func allFaults() []fault {
	return slices.Concat(moduleFaults(), databaseFaults(), neighbourFaults(), severalFaults(),
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

// runFaults tries one fault after the other, each on an installation of its own.
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

// check is one fault while it is tried. Its methods may be called by several goroutines, but fatal and ok
// only by the one that runs the fault.
type check struct {
	*place
	ctx context.Context
	kit *kit

	told atomic.Int64 // notes that tellOnce wrote

	mu       sync.Mutex
	sights   []string
	wrongs   []string
	cleanups []func()
}

// maxWrongs is how many findings of one fault are printed.
const maxWrongs = 12

// try runs a fault to its end.
func (c *check) try(f fault) {
	ended := make(chan struct{})
	go func() { // so that fatal can end it
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

// saw adds to what the report tells.
func (c *check) saw(format string, arguments ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sights = append(c.sights, fmt.Sprintf(format, arguments...))
}

// wrong notes that something is not as expected; the fault goes on.
func (c *check) wrong(format string, arguments ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.wrongs) < maxWrongs {
		c.wrongs = append(c.wrongs, fmt.Sprintf(format, arguments...))
	}
}

// fatal is wrong, and ends the fault.
func (c *check) fatal(format string, arguments ...any) {
	c.wrong(format, arguments...)
	runtime.Goexit()
}

// ok is fatal unless err is nil.
func (c *check) ok(err error, what string) {
	if err != nil {
		c.fatal("%s: %v", what, err)
	}
}

// eventually waits until a condition holds; it lies in another process and can only be polled.
func (c *check) eventually(what string, condition func() bool) {
	if !c.within(patience, condition) {
		c.fatal("not reached within %v: %s", patience, what)
	}
}

// within tells whether a condition came to hold in time.
func (c *check) within(limit time.Duration, condition func() bool) bool {
	for deadline := time.Now().Add(limit); !condition(); {
		if time.Now().After(deadline) || c.ctx.Err() != nil {
			return false
		}
		time.Sleep(10 * time.Millisecond)
	}
	return true
}
