package main

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// row is one line of the table: a figure taken of both systems in turn.
type row struct {
	work string
	unit string
	goal string
	run  func(ctx context.Context, s *system, length time.Duration) (float64, error)
}

const (
	principalPath = "/api/v1/principal"
	livePath      = "/api/v1/health/live"
)

func rows() []row {
	return []row{
		{
			work: "anonymous principal, 32 connections", unit: "requests/s", goal: ">= 0.90",
			run: func(ctx context.Context, s *system, length time.Duration) (float64, error) {
				done, err := load(ctx, s.address, principalPath, 32, length)
				return float64(len(done)) / length.Seconds(), err
			},
		},
		{
			work: "  the same, server CPU a request", unit: "us", goal: "<= 1.25",
			run: func(ctx context.Context, s *system, length time.Duration) (float64, error) {
				before := s.cpu()
				done, err := load(ctx, s.address, principalPath, 32, length)
				if err != nil || len(done) == 0 {
					return 0, err
				}
				return float64((s.cpu() - before).Microseconds()) / float64(len(done)), nil
			},
		},
		{
			work: "live, p99 beside 1,000 dribbled headers", unit: "us", goal: "",
			run: func(ctx context.Context, s *system, length time.Duration) (float64, error) {
				stop, err := dribble(ctx, s.address, 1000)
				if err != nil {
					return 0, err
				}
				defer stop()
				done, err := load(ctx, s.address, livePath, 4, length)
				return float64(percentile(done, 0.99).Microseconds()), err
			},
		},
		{
			work: "live, p99 without them", unit: "us", goal: "",
			run: func(ctx context.Context, s *system, length time.Duration) (float64, error) {
				done, err := load(ctx, s.address, livePath, 4, length)
				return float64(percentile(done, 0.99).Microseconds()), err
			},
		},
	}
}

// measure takes turns, so that what disturbs the machine disturbs both.
func (r row) measure(ctx context.Context, limit, ours *system, runs int, length time.Duration) error {
	var least, own, ratios []float64
	for range runs {
		a, err := r.run(ctx, limit, length)
		if err != nil {
			return err
		}
		b, err := r.run(ctx, ours, length)
		if err != nil {
			return err
		}
		least, own, ratios = append(least, a), append(own, b), append(ratios, b/a)
	}
	fmt.Printf("%-48s %12.0f %12.0f %8.2f  %s\n", r.work+" ("+r.unit+")", median(least), median(own), median(ratios), r.goal)
	return ctx.Err()
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
