// Command narthex-bench measures the platform and the smallest program that could do the same work, and
// prints one table of figures and their ratios. docs/performance.md explains each row.
//
// Every system is a process of its own on this machine. The systems are measured in turn, in several runs; a
// figure is the median of its runs, with the lowest and the highest. Load generator, servers and database
// share the machine, so only ratios within one table are meaningful.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"
)

// options are the values of the flags.
type options struct {
	binary, against string
	work            string
	all             bool
	runs            int
	length          time.Duration
	lighthouse      string             // the folder of run.mjs; "": the table is measured
	peers           map[string]*string // path of the program, by name
}

func main() {
	if len(os.Args) == 2 && os.Args[1] == hostArgument {
		if err := serveHost(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	var o options
	flag.IntVar(&o.runs, "runs", 5, "runs of each system")
	flag.DurationVar(&o.length, "length", time.Second,
		"length of one run, where a row does not end by itself")
	flag.StringVar(&o.binary, "narthex", "bin/narthex", "the `program` to measure")
	flag.StringVar(&o.against, "against", "", "an older narthex `program`, measured in turn in the same runs")
	flag.StringVar(&o.lighthouse, "lighthouse", "",
		"open a house's pages by this `folder`, cmd/narthex-proof/lighthouse, instead; fail if one is slow")
	flag.StringVar(&o.work, "work", "", "measure only the rows, of all, that have this `text` in their name")
	flag.BoolVar(&o.all, "all", false, "measure all rows instead of the usual ten")
	o.peers = make(map[string]*string)
	for _, name := range peerNames {
		o.peers[name] = flag.String(name, "", "this `program` is measured too, where a row names it")
	}
	flag.Usage = usage
	flag.Parse()
	if flag.NArg() > 0 {
		usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := bench(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func usage() {
	fmt.Fprint(flag.CommandLine.Output(), `narthex-bench prints one table: the platform beside the least
server that could do the same work.
Run it in the folder of the sources, on a machine that does nothing else ("make bench" does).
Columns: the limit, the older program (with -against), this one, its ratio to either, and the goal.
Each is the median of the runs, with the lowest and the highest. docs/performance.md explains the rows.

`)
	flag.PrintDefaults()
}

func bench(ctx context.Context, o options) error {
	wanted := usualRows()
	if o.all || o.work != "" {
		wanted = nil
		for _, row := range rows() {
			if strings.Contains(row.work, o.work) {
				wanted = append(wanted, row)
			}
		}
	}
	if len(wanted) == 0 {
		return fmt.Errorf("no row has %q in its name", o.work)
	}
	all, err := startSystems(ctx, o)
	if err != nil {
		return err
	}
	defer all.stop()
	if o.lighthouse != "" {
		return all.judgePages(ctx, o)
	}
	fmt.Printf(layout, "work", "limit", "older", "this", "to limit", "to older", "goal")
	began, failed := time.Now(), error(nil)
	for i, row := range wanted {
		fmt.Fprintf(os.Stderr, "%s, %d of %d: %s ", time.Now().Format(time.TimeOnly), i+1, len(wanted), row.work)
		if err := row.measure(ctx, all, os.Stdout, os.Stderr, o.runs, o.length); err != nil {
			err = fmt.Errorf("%s: %w", row.work, err)
			fmt.Fprintln(os.Stderr, err)
			failed = errors.Join(failed, err) // the remaining rows are still measured
		}
		if ctx.Err() != nil {
			break
		}
	}
	fmt.Fprintf(os.Stderr, "%d rows in %s\n", len(wanted), time.Since(began).Round(time.Second))
	return failed
}
