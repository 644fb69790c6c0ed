package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"
)

// figure measures one figure of a system in one run.
type figure func(ctx context.Context, s *system, length time.Duration) (float64, error)

// pair measures two figures in one run. The second has a line of its own.
type pair func(ctx context.Context, s *system, length time.Duration) (first, second float64, err error)

// only makes a pair without a second figure.
func only(of figure) pair {
	return func(ctx context.Context, s *system, length time.Duration) (first, _ float64, err error) {
		first, err = of(ctx, s, length)
		return first, 0, err
	}
}

// row is one line of the table, or two. Its figures are measured on the systems in turn.
type row struct {
	work string
	unit string
	goal goal
	run  pair
	// second is the text and the unit of the second line; empty if there is none.
	second     string
	secondGoal goal
	// beside is the smallest server that could do the work.
	beside least
	// quiet replaces the limit's figure in a row that compares the platform with itself; nil in other rows.
	quiet figure
	// peers are other programs that people would use instead, by name, with the way in which they do the same
	// work.
	peers map[string]pair
}

// requests returns a row of responses a second, and of the processor time of each.
func requests(work string, sent senders, reach goal) row {
	return row{work: work, unit: "requests/s", goal: reach, run: throughput(sent),
		second: "processor time each (us)"}
}

// least names the server in the limit's column.
type least int

const (
	bareServer       least = iota // gin over a connection pool (bare)
	inHost                        // the same handlers inside the platform (host.go)
	pocketbaseItself              // the peer, where it is given and does the same
	nothing                       // no such server
)

const (
	connections     = 32
	sharing         = 4 // connections used while something else is measured
	parallelSignIns = 16
	// requests a second in total beside a storm: with unlimited readers the figure would only show how the
	// kernel divides two processors
	visits        = 1000
	principalPath = "/api/v1/principal"
	livePath      = "/api/v1/health/live"
)

// rows returns all rows. Each subject has a file of its own.
func rows() []row {
	return slices.Concat(pages(), answers(), moduleCalls(), twins(), starts(), signInRows(), streamRows())
}

// usualRows returns the table: the pages that people open, then one echo of each kind.
func usualRows() []row {
	echoes := []string{"anonymous principal, 32 at once", "module GET small, 32 at once",
		"start to ready, 10 modules", "streams, 1000 readers, full load"}
	others := slices.DeleteFunc(rows(), func(r row) bool { return !slices.Contains(echoes, r.work) })
	return append(pages(), others...)
}

func answers() []row {
	visitors := requests("anonymous principal, 32 at once", anonymous(principalPath, connections),
		toLimit(atLeast, 0.90))
	visitors.peers = map[string]pair{
		nginx:      throughput(anonymous(principalPath, connections)),
		pocketbase: throughput(anonymous(pocketbaseHealth, connections)),
	}
	return []row{
		visitors,
		requests("principal with a session, 32 at once", signedIn(principalPath, connections),
			toLimit(atLeast, 1.50)),
		requests("principal with a session, 1 at once", signedIn(principalPath, 1), toLimit(atLeast, 0.90)),
	}
}

func signInRows() []row {
	visitors := paced(anonymous(principalPath, connections), visits)
	return []row{
		{work: "anonymous p99 in a storm of 16 sign-ins / quiet", unit: "us", goal: itself(atMost, 10_000),
			run: only(twice(duringSignIns(p99(visitors)))), quiet: twice(p99(visitors))},
		{work: "  the same, sign-ins beside it / alone", unit: "1/s", goal: itself(atLeast, 40),
			run: only(twice(signInsDuring(visitors))), quiet: twice(signIns)},
		{work: "live, p99 beside 1,000 dribbled headers", unit: "us",
			run: only(withSlowHeaders(p99(anonymous(livePath, sharing))))},
		{work: "live, p99 without them", unit: "us", run: only(p99(anonymous(livePath, sharing)))},
	}
}

// readings are the figures of a row's runs, by system.
type readings struct{ first, second map[*system][]float64 }

func (r readings) take(ctx context.Context, s *system, run pair, length time.Duration) error {
	first, second, err := run(ctx, s, length)
	if err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	r.first[s], r.second[s] = append(r.first[s], first), append(r.second[s], second)
	return nil
}

// measure measures the systems in turn, so that a disturbance of the machine affects all of them, and prints
// the row. Every second run has the reverse order, because who comes later may be slower (the same program
// twice beside a storm of sign-ins: 1.2). It writes a dot to progress for each run.
func (r row) measure(
	ctx context.Context, all *systems, to, progress io.Writer, runs int, length time.Duration,
) error {
	taken := readings{make(map[*system][]float64), make(map[*system][]float64)}
	limit := all.limitOf(r)
	failed := make(map[*system]bool) // systems that cannot do the work, and so have no figure
	var quiet system                 // the platform's own quiet figure, in the limit's column
	for run := range runs {
		turn := []*system{limit, all.older, all.platform}
		if run%2 == 1 {
			slices.Reverse(turn)
		}
		for _, s := range turn {
			if s == nil || s == &quiet || failed[s] || r.beside == pocketbaseItself && s == limit {
				continue
			}
			err := taken.take(ctx, s, r.run, length)
			if err != nil && s != all.older {
				return err
			}
			failed[s] = err != nil
			note(progress, err)
		}
		for name, of := range r.peers {
			if s := all.peers[name]; s != nil && !failed[s] {
				err := taken.take(ctx, s, of, length)
				failed[s] = err != nil
				note(progress, err)
			}
		}
		if r.quiet != nil {
			limit = &quiet
			value, err := r.quiet(ctx, all.platform, length)
			if err != nil {
				return err
			}
			taken.first[limit] = append(taken.first[limit], value)
		}
		fmt.Fprint(progress, ".")
	}
	fmt.Fprintln(progress)
	for s, without := range failed {
		if without {
			delete(taken.first, s)
			delete(taken.second, s)
		}
	}
	all.print(to, r.work+" ("+r.unit+")", taken.first, limit, r.goal)
	if r.second != "" {
		all.print(to, "  the same, "+r.second, taken.second, limit, r.secondGoal)
	}
	return ctx.Err()
}

func note(progress io.Writer, err error) {
	if err != nil {
		fmt.Fprintf(progress, "(%v)", err)
	}
}

func (all *systems) print(to io.Writer, work string, taken map[*system][]float64, limit *system, g goal) {
	base, older, own := taken[limit], taken[all.older], taken[all.platform]
	fmt.Fprintf(to, layout, work, spread(base), spread(older), spread(own), spread(ratios(own, base)),
		spread(ratios(own, older)), g.judge(own, base, older))
	for _, name := range peerNames {
		if s := all.peers[name]; s != nil && len(taken[s]) > 0 {
			fmt.Fprintf(to, layout, "  "+name, "", "", spread(taken[s]), spread(ratios(taken[s], base)), "", "")
		}
	}
}

// layout is the format of a line: the work, the limit, the older program, this one, this one to the limit,
// this one to the older one, the goal.
const layout = "%-54s %-22s %-22s %-22s %-18s %-18s %s\n"

// spread formats the median with the lowest and the highest figure.
func spread(figures []float64) string {
	if len(figures) == 0 {
		return "-"
	}
	return fmt.Sprintf("%s (%s-%s)", short(median(figures)), short(slices.Min(figures)),
		short(slices.Max(figures)))
}

// short formats a number with three digits, or with all digits before the point.
func short(f float64) string {
	decimals := 2
	switch {
	case f >= 100:
		decimals = 0
	case f >= 10:
		decimals = 1
	}
	return strconv.FormatFloat(f, 'f', decimals, 64)
}

// ratios returns the ratio of each run.
func ratios(own, other []float64) (result []float64) {
	if len(other) != len(own) {
		return nil
	}
	for i := range own {
		result = append(result, own[i]/other[i])
	}
	return result
}

func median(figures []float64) float64 {
	if len(figures) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(figures))
	return sorted[len(sorted)/2]
}

func percentile(times []time.Duration, part float64) time.Duration {
	if len(times) == 0 {
		return 0
	}
	slices.Sort(times)
	return times[int(part*float64(len(times)-1))]
}
