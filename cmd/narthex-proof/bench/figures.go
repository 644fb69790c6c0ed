package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// senders creates the traffic for a system.
type senders func(s *system) traffic

func anonymous(path string, connections int) senders {
	return func(*system) (sent traffic) {
		for range connections {
			sent.requests = append(sent.requests, get(path, ""))
		}
		return sent
	}
}

// signedIn sends GET requests, each connection with a session of its own.
func signedIn(path string, connections int) senders {
	return func(s *system) (sent traffic) {
		for _, cookie := range s.cookies[:connections] {
			sent.requests = append(sent.requests, get(path, cookie))
		}
		return sent
	}
}

// posted sends bodies of size bytes, each connection with a session of its own.
func posted(path string, size, connections int) senders {
	return func(s *system) (sent traffic) {
		for _, cookie := range s.cookies[:connections] {
			sent.requests = append(sent.requests, post(path, cookie, s.origin, size))
		}
		return sent
	}
}

// paced limits the traffic to a number of requests a second in total, so that the work measured beside it
// gets the rest of the machine.
func paced(from senders, perSecond int) senders {
	return func(s *system) traffic {
		sent := from(s)
		sent.every = time.Second * time.Duration(len(sent.requests)) / time.Duration(perSecond)
		return sent
	}
}

// throughput measures the responses a second, and the processor time in microseconds that each of them costs
// the server, its modules and the servers behind it.
func throughput(from senders) pair {
	return func(ctx context.Context, s *system, length time.Duration) (rate, cost float64, err error) {
		before := s.cpu()
		done, err := load(ctx, s.address, from(s), length)
		if err != nil || len(done) == 0 {
			return 0, 0, fmt.Errorf("%d responses: %w", len(done), err)
		}
		used := s.cpu() - before
		return float64(len(done)) / length.Seconds(), float64(used.Microseconds()) / float64(len(done)), nil
	}
}

// p99 measures the 99th percentile of the response time in microseconds.
func p99(from senders) figure {
	return func(ctx context.Context, s *system, length time.Duration) (float64, error) {
		done, err := load(ctx, s.address, from(s), length)
		return float64(percentile(done, 0.99).Microseconds()), err
	}
}

// withSlowHeaders measures another figure while 1,000 connections send their headers byte by byte.
func withSlowHeaders(of figure) figure {
	return func(ctx context.Context, s *system, length time.Duration) (float64, error) {
		stop, err := holdSlowHeaders(ctx, s.address, 1000)
		if err != nil {
			return 0, err
		}
		defer stop()
		return of(ctx, s, length)
	}
}

// twice measures a figure over twice the length, because there are few sign-ins in one.
func twice(of figure) figure {
	return func(ctx context.Context, s *system, length time.Duration) (float64, error) {
		return of(ctx, s, 2*length)
	}
}

// duringSignIns measures another figure while people sign in.
func duringSignIns(of figure) figure {
	return func(ctx context.Context, s *system, length time.Duration) (float64, error) {
		stop := s.keepSigningIn(ctx, parallelSignIns)
		taken, err := of(ctx, s, length)
		_, failure := stop()
		return taken, errors.Join(err, failure)
	}
}

// signIns measures the sign-ins per second without other traffic.
func signIns(ctx context.Context, s *system, length time.Duration) (float64, error) {
	stop := s.keepSigningIn(ctx, parallelSignIns)
	select {
	case <-time.After(length):
	case <-ctx.Done():
	}
	done, err := stop()
	return float64(done) / length.Seconds(), err
}

// signInsDuring measures the sign-ins per second during other traffic.
func signInsDuring(from senders) figure {
	return func(ctx context.Context, s *system, length time.Duration) (float64, error) {
		stop := s.keepSigningIn(ctx, parallelSignIns)
		_, err := load(ctx, s.address, from(s), length)
		done, failure := stop()
		return float64(done) / length.Seconds(), errors.Join(err, failure)
	}
}
