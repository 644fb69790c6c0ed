// Command narthex-bench measures the platform beside the least program that could do the same work, and
// prints one table of ratios.
//
// Both run as processes of their own on this machine and take turns, several runs each; a figure is the
// median of its runs. Load generator, servers and database share the machine, so only a ratio within one
// table means anything.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == limitArgument {
		serveLimit()
		return
	}
	runs := flag.Int("runs", 7, "runs of each system")
	length := flag.Duration("length", 2*time.Second, "length of one run")
	binary := flag.String("narthex", "bin/narthex", "the program to measure")
	work := flag.String("work", "", "measure only the rows that have this in their name")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := bench(ctx, *binary, *work, *runs, *length); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func bench(ctx context.Context, binary, work string, runs int, length time.Duration) error {
	platform, err := startPlatform(ctx, binary)
	if err != nil {
		return err
	}
	defer platform.stop()
	limit, err := startLimit(ctx, platform.postgres.URL("postgres"))
	if err != nil {
		return err
	}
	defer limit.stop()
	if platform.cookies, err = signInPeople(ctx, platform.system, connections); err != nil {
		return err
	}
	limit.cookies = platform.cookies

	fmt.Printf("%-48s %12s %12s %8s  %s\n", "work", "limit", "narthex", "ratio", "goal")
	for _, row := range rows() {
		if !strings.Contains(row.work, work) {
			continue
		}
		if err := row.measure(ctx, limit, platform.system, runs, length); err != nil {
			return fmt.Errorf("%s: %w", row.work, err)
		}
	}
	for _, row := range moduleCalls("http://localhost:" + platform.port) {
		if !strings.Contains(row.work, work) {
			continue
		}
		if err := row.measure(ctx, limit, platform.system, runs, length); err != nil {
			return fmt.Errorf("%s: %w", row.work, err)
		}
	}
	return nil
}
