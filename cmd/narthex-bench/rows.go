package main

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// figure is taken of a system by one run.
type figure func(ctx context.Context, s *system, length time.Duration) (float64, error)

// row is one line of the table: a figure taken of both systems in turn.
type row struct {
	work string
	unit string
	goal string
	run  figure
	// quiet stands in for the limit's figure where the platform is compared with itself; nil where it is not.
	quiet figure
}

const (
	connections     = 32
	sharing         = 4 // connections beside which others do something
	parallelSignIns = 16
	// a second in all, beside a storm: endless readers would measure how the kernel shares two cores
	visits        = 1000
	principalPath = "/api/v1/principal"
	livePath      = "/api/v1/health/live"
)

func rows() []row {
	visitors := paced(anonymous(principalPath, connections), visits)
	return []row{
		{work: "anonymous principal, 32 connections", unit: "requests/s", goal: ">= 0.90",
			run: rate(anonymous(principalPath, connections))},
		{work: "  the same, server CPU a request", unit: "us", goal: "<= 1.25",
			run: cpu(anonymous(principalPath, connections))},
		{work: "principal with a session, 32 connections", unit: "requests/s", goal: ">= 1.10",
			run: rate(signedIn(connections))},
		{work: "principal with a session, 1 connection", unit: "requests/s", goal: ">= 0.90",
			run: rate(signedIn(1))},
		{
			work: "anonymous p99 in a storm of 16 sign-ins / quiet", unit: "us", goal: "<= 10000 us",
			run: duringSignIns(p99(visitors)), quiet: p99(visitors),
		},
		{work: "  the same, sign-ins beside it / alone", unit: "1/s", goal: ">= 40 /s",
			run: signInsDuring(visitors), quiet: signIns},
		{work: "live, p99 beside 1,000 dribbled headers", unit: "us",
			run: withSlowHeaders(p99(anonymous(livePath, sharing)))},
		{work: "live, p99 without them", unit: "us", run: p99(anonymous(livePath, sharing))},
	}
}

// measure takes turns, so that what disturbs the machine disturbs both.
func (r row) measure(ctx context.Context, limit, ours *system, runs int, length time.Duration) error {
	var least, own, ratios []float64
	for range runs {
		a, err := r.limit(ctx, limit, ours, length)
		if err != nil {
			return err
		}
		b, err := r.run(ctx, ours, length)
		if err != nil {
			return err
		}
		least, own, ratios = append(least, a), append(own, b), append(ratios, b/a)
	}
	fmt.Printf("%-48s %12.0f %12.0f %8.2f  %s\n", r.work+" ("+r.unit+")", median(least), median(own),
		median(ratios), r.goal)
	return ctx.Err()
}

func (r row) limit(ctx context.Context, limit, ours *system, length time.Duration) (float64, error) {
	if r.quiet != nil {
		return r.quiet(ctx, ours, length)
	}
	return r.run(ctx, limit, length)
}

func median(figures []float64) float64 {
	slices.Sort(figures)
	return figures[len(figures)/2]
}

func percentile(times []time.Duration, part float64) time.Duration {
	if len(times) == 0 {
		return 0
	}
	slices.Sort(times)
	return times[int(part*float64(len(times)-1))]
}
