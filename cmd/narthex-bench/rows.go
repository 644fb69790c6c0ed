package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"
)

// figure is taken of a system by one run.
type figure func(ctx context.Context, s *system, length time.Duration) (float64, error)

// row is one line of the table: a figure taken of the systems in turn.
type row struct {
	work string
	unit string
	goal goal
	run  figure
	// sent is in place of run: a line has the responses a second, and another what each costs in processor time,
	// of the same runs.
	sent     senders
	costGoal goal
	// beside is the least server that could do the work.
	beside least
	// quiet stands in for the limit's figure where the platform is compared with itself; nil where it is not.
	quiet figure
	// peers are what others would use instead, by name, and the same figure of them.
	peers map[string]figure
}

// least names the server of the limit's column.
type least int

const (
	bareServer least = iota // gin over a pool (bare)
	inHost                  // the same handler inside the platform (host.go)
	nothing                 // there is no such server
)

const (
	connections     = 32
	sharing         = 4 // connections beside which others do something
	parallelSignIns = 16
	// a second in all, beside a storm: endless readers would measure how the kernel shares two cores
	visits        = 1000
	principalPath = "/api/v1/principal"
	livePath      = "/api/v1/health/live"
)

// rows is the whole table. Each subject has a file of its own.
func rows() []row {
	return slices.Concat(answers(), moduleCalls(), starts(), signInRows(), streamRows())
}

func answers() []row {
	return []row{
		{work: "anonymous principal, 32 at once", sent: anonymous(principalPath, connections),
			goal: toLimit(atLeast, 0.92), costGoal: toLimit(atMost, 1.15)},
		{work: "principal with a session, 32 at once", sent: signedIn(principalPath, connections),
			goal: toLimit(atLeast, 1.10)},
		{work: "principal with a session, 1 at once", sent: signedIn(principalPath, 1),
			goal: toLimit(atLeast, 0.90)},
	}
}

func signInRows() []row {
	visitors := paced(anonymous(principalPath, connections), visits)
	return []row{
		{work: "anonymous p99 in a storm of 16 sign-ins / quiet", unit: "us", goal: itself(atMost, 10_000),
			run: duringSignIns(p99(visitors)), quiet: p99(visitors)},
		{work: "  the same, sign-ins beside it / alone", unit: "1/s", goal: itself(atLeast, 40),
			run: signInsDuring(visitors), quiet: signIns},
		{work: "live, p99 beside 1,000 dribbled headers", unit: "us",
			run: withSlowHeaders(p99(anonymous(livePath, sharing)))},
		{work: "live, p99 without them", unit: "us", run: p99(anonymous(livePath, sharing))},
	}
}

// readings are what the runs of a row gave, by system. cost is of rows with traffic alone.
type readings struct{ value, cost map[*system][]float64 }

func (r row) take(ctx context.Context, s *system, run figure, length time.Duration, into readings) error {
	var value, cost float64
	var err error
	if run == nil {
		value, cost, err = throughput(ctx, s, r.sent(s), length)
		into.cost[s] = append(into.cost[s], cost)
	} else {
		value, err = run(ctx, s, length)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	into.value[s] = append(into.value[s], value)
	return nil
}

// measure takes turns, so that what disturbs the machine disturbs all, and prints the row.
func (r row) measure(ctx context.Context, all *systems, to io.Writer, runs int, length time.Duration) error {
	taken := readings{make(map[*system][]float64), make(map[*system][]float64)}
	limit := all.limitOf(r)
	var quiet system // the platform's own figure, in the place of the limit
	for range runs {
		for _, s := range []*system{limit, all.older, all.platform} {
			if s == nil {
				continue
			}
			if err := r.take(ctx, s, r.run, length, taken); err != nil {
				return err
			}
		}
		for name, of := range r.peers {
			if s := all.peers[name]; s != nil {
				if err := r.take(ctx, s, of, length, taken); err != nil {
					return err
				}
			}
		}
		if r.quiet != nil {
			limit = &quiet
			value, err := r.quiet(ctx, all.platform, length)
			if err != nil {
				return err
			}
			taken.value[limit] = append(taken.value[limit], value)
		}
	}
	if r.sent == nil {
		all.print(to, r.work+" ("+r.unit+")", taken.value, limit, r.goal)
		return ctx.Err()
	}
	all.print(to, r.work+" (requests/s)", taken.value, limit, r.goal)
	all.print(to, "  the same, processor time each (us)", taken.cost, limit, r.costGoal)
	return ctx.Err()
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

// layout is a line: the work, the limit, the older program, this one, this to the limit, this to the older
// one, the goal.
const layout = "%-54s %-22s %-22s %-22s %-18s %-18s %s\n"

// spread is the median with the lowest and the highest.
func spread(figures []float64) string {
	if len(figures) == 0 {
		return "-"
	}
	return fmt.Sprintf("%s (%s-%s)", short(median(figures)), short(slices.Min(figures)),
		short(slices.Max(figures)))
}

// short keeps three digits and all of them before the point.
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

// ratios are run by run.
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
