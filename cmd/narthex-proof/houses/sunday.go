package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// between is how long a phone rests between two pages.
const between = 10 * time.Second

// phonePaths are what Home and My dates load.
func phonePaths() []string {
	day := func(days int) string { return time.Now().AddDate(0, 0, days).Format(time.DateOnly) }
	return []string{"/api/v1/principal", "/api/v1/dashboard/navigation", "/api/v1/modules/announcements/latest",
		"/api/v1/modules/stage/services?limit=1", "/api/v1/modules/rota/mine",
		"/api/v1/modules/calendar/occurrences?from=" + day(-1) + "&to=" + day(8)}
}

// latencies collects durations of many goroutines.
type latencies struct {
	mu     sync.Mutex
	all    []time.Duration
	failed atomic.Int64
	said   error // the first failure
}

func (l *latencies) add(took time.Duration, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil {
		l.all = append(l.all, took)
		return
	}
	if l.failed.Add(1) == 1 {
		l.said = err
	}
}

// take returns what was collected, and begins anew.
func (l *latencies) take() []time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := l.all
	l.all = nil
	return all
}

// sundayMorning lets some houses have a Sunday while the others are idle, then beside backups of all houses.
func (f *fleet) sundayMorning(ctx context.Context, busy int) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
	var working sync.WaitGroup
	defer working.Wait()
	defer end()
	var asked latencies
	for _, h := range f.houses[:busy] {
		cookie, err := h.signIn(ctx)
		if err != nil {
			return err
		}
		client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: f.phones,
			IdleConnTimeout: 2 * time.Second}}
		for range f.screens {
			working.Go(func() { h.follow(ctx, cookie) })
		}
		for n := range f.phones {
			working.Go(func() {
				pause(ctx, time.Duration(n)*between/time.Duration(f.phones))
				h.use(ctx, client, cookie, &asked)
			})
		}
	}
	pause(ctx, between)
	asked.take()
	alone, err := f.half(ctx, &asked, func(ctx context.Context) error {
		pause(ctx, f.sunday)
		return nil
	})
	if err != nil {
		return err
	}
	fmt.Printf("a Sunday on %d houses, %d phones and %d screens each, %d idle: %s\n", busy, f.phones, f.screens,
		len(f.houses)-busy, alone)
	backups := 0
	began := time.Now()
	beside, err := f.half(ctx, &asked, func(ctx context.Context) (err error) {
		backups, err = f.backUp(ctx)
		pause(ctx, f.sunday/2-time.Since(began))
		return err
	})
	if err != nil {
		return err
	}
	fmt.Printf("the same beside backups: %s\n%d backups, one after the other, in %.0f s\n", beside, backups,
		time.Since(began).Seconds())
	if n := asked.failed.Load(); n > 0 {
		return fmt.Errorf("%d requests failed, the first with %w", n, asked.said)
	}
	return nil
}

// use looks at the house as a phone does, again and again.
func (h *house) use(ctx context.Context, client *http.Client, cookie string, asked *latencies) {
	for ; ctx.Err() == nil; pause(ctx, between) {
		for _, path := range phonePaths() {
			took, err := ask(ctx, client, h.address+path, cookie)
			if ctx.Err() == nil {
				asked.add(took, err)
			}
		}
	}
}

// half runs one half of a Sunday, and describes it.
func (f *fleet) half(
	ctx context.Context, asked *latencies, work func(context.Context) error,
) (string, error) {
	asked.take()
	began := time.Now()
	platform, server := f.usage(ctx)
	if err := work(ctx); err != nil {
		return "", err
	}
	platformAfter, serverAfter := f.usage(ctx)
	lasted := time.Since(began).Seconds()
	took := asked.take()
	return fmt.Sprintf("%.0f requests a second: %s; %.2f processors the platform, %.2f PostgreSQL and "+
		"PgBouncer; %d processes, %.0f and %.0f MiB; %d sessions", float64(len(took))/lasted, summary(took),
		(platformAfter.processor-platform.processor)/lasted, (serverAfter.processor-server.processor)/lasted,
		platformAfter.processes, platformAfter.memory, serverAfter.memory, serverAfter.server), nil
}

// backUp makes a backup of every house, one after the other, with low priority, as the nightly timers do that
// come at different moments.
func (f *fleet) backUp(ctx context.Context) (made int, err error) {
	for _, h := range f.houses {
		file := filepath.Join(f.folder, "backup")
		if err := runProgram(ctx, append(slices.Clone(h.environment), "DATABASE_URL="+h.direct), "", "nice",
			h.binary, "backup:create", "--without-objects", "--to", file); err != nil {
			return made, err
		}
		if err := errors.Join(os.Remove(file), removeIfThere(file+".erased")); err != nil {
			return made, err
		}
		made++
	}
	return made, nil
}

func removeIfThere(file string) error {
	if err := os.Remove(file); err != nil && !os.IsNotExist(err) {
		return err
	}
	return nil
}

// signIn returns the cookie of the owner's session.
func (h *house) signIn(ctx context.Context) (cookie string, err error) {
	body, err := json.Marshal(map[string]string{"email": ownerEmail, "password": ownerPassword})
	if err != nil {
		return "", err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, h.address+"/api/auth/sign-in/email",
		strings.NewReader(string(body)))
	if err != nil {
		return "", err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Origin", h.address)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("sign-in: %s", response.Status)
	}
	cookie, _, _ = strings.Cut(response.Header.Get("Set-Cookie"), ";")
	return cookie, nil
}

// follow keeps a stream open, as a screen does.
func (h *house) follow(ctx context.Context, cookie string) {
	for ; ctx.Err() == nil; pause(ctx, 2*time.Second) {
		_, _ = ask(ctx, http.DefaultClient, h.address+"/api/v1/module-realtime/stage/control", cookie)
	}
}
