// Command narthex-houses measures many installations on one machine: PostgreSQL, PgBouncer in transaction
// mode in front of it, and for each house a database, a socket as systemd holds it, and a process of the
// platform that the first connection starts and that ends when it is idle. It prints the figures of
// docs/scaling.md. With -simulate it measures nothing, and computes a Sunday morning of thousands of houses
// from the figures of one.
//
// It runs in a checkout, after "make build modules", with PgBouncer installed.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// options are those of one run.
type options struct {
	binary, modules string
	sizes           []int // numbers of houses, one measurement each
	busy            int   // houses that have a Sunday
	phones, screens int   // of each of these
	sunday          time.Duration
	idle            time.Duration // after which a process ends, longest
}

func main() {
	var o options
	var sizes string
	flag.StringVar(&o.binary, "narthex", "bin/narthex", "the `program` to measure")
	flag.StringVar(&o.modules, "modules", "modules", "the `folder` of built modules")
	flag.StringVar(&sizes, "houses", "1,50,200", "the `numbers` of houses")
	flag.IntVar(&o.busy, "busy", 10, "how many `houses` have a Sunday while the others are idle")
	flag.IntVar(&o.phones, "phones", 40, "`phones` of each of them")
	flag.IntVar(&o.screens, "screens", 12, "open streams of each of them, as `screens` have")
	flag.DurationVar(&o.sunday, "sunday", 4*time.Minute, "how `long` the Sunday hour lasts without backups, "+
		"and half of it at least with them")
	flag.DurationVar(&o.idle, "idle", 30*time.Minute, "how `long` to wait for idle processes to end")
	simulates := flag.Int("simulate", 0, "compute a Sunday of so many `houses` instead")
	seed := flag.Uint64("seed", 1, "the `seed` of that Sunday")
	flag.Parse()
	for text := range strings.SplitSeq(sizes, ",") {
		if n, err := strconv.Atoi(text); err == nil && n > 0 {
			o.sizes = append(o.sizes, n)
		}
	}
	if len(o.sizes) == 0 || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "usage: narthex-houses [-houses N,N,...] [-busy N] | -simulate N [-seed N]")
		os.Exit(2)
	}
	if *simulates > 0 {
		fmt.Print(simulate(*simulates, *seed, measured()))
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) (err error) {
	for _, path := range []*string{&o.binary, &o.modules} {
		if *path, err = filepath.Abs(*path); err != nil {
			return err
		}
		if _, err := os.Stat(*path); err != nil {
			return fmt.Errorf("%w: run make build modules", err)
		}
	}
	f, err := newFleet(ctx, o)
	if err != nil {
		return err
	}
	defer f.close()
	for _, size := range o.sizes {
		if err := f.measure(ctx, size); err != nil {
			return err
		}
	}
	return nil
}
