// Command narthex-faults injects real faults into a running platform: the daemon, its PostgreSQL, its object
// storage, mail server, NATS and modules are processes of this machine. For each fault it prints what was
// done, what was observed and what was expected (docs/reliability.md). With -soak it loads the platform for a
// while instead, with constant faults, and reports whether its use of resources stays the same.
//
// It runs in a checkout, as root for the faults that need it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"syscall"
	"time"
)

func main() {
	binary := flag.String("narthex", "bin/narthex", "the `program` to try")
	pattern := flag.String("run", "", "try only the faults whose name this regular `expression` matches")
	list := flag.Bool("list", false, "print the faults and what is expected of each, and try none")
	soaks := flag.Duration("soak", 0, "load the platform for so `long`, with faults, and measure what it holds")
	flag.Parse()
	chosen, err := regexp.Compile(*pattern)
	if err != nil || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "usage: narthex-faults [-run EXPRESSION] [-list] [-soak DURATION] [-narthex PATH]")
		os.Exit(2)
	}
	if *list {
		printList(os.Stdout, chosen)
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := try(ctx, *binary, chosen, *soaks); err != nil {
		if !errors.Is(err, errFailed) {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1)
	}
}

// try prepares the kit, and runs the faults or the soak.
func try(ctx context.Context, binary string, chosen *regexp.Regexp, soaks time.Duration) error {
	binary, err := filepath.Abs(binary)
	if err != nil {
		return err
	}
	k, err := newKit(ctx, binary)
	if err != nil {
		return err
	}
	defer k.close()
	if soaks > 0 {
		return soak(ctx, os.Stdout, k, soaks)
	}
	return runFaults(ctx, os.Stdout, k, chosen)
}
