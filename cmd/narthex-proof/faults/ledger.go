package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// ledger records which writes on one path were acknowledged.
type ledger struct {
	name                  string
	send                  func(ctx context.Context, p *person, n int64) (got response, key string)
	table                 string       // a query for the existing keys
	number                atomic.Int64 // of the last write that was sent
	acknowledged, refused atomic.Int64

	mu   sync.Mutex
	keys map[string]bool
}

// ledgers are writes through the API and through a module, which continue until stop.
type ledgers struct {
	*check
	all     []*ledger
	allowed []string // the refusals that may come, as response prints them
	faulty  *person  // whose process is the one that fails: may get any refusal, or nothing; nil: nobody
	writes  context.Context
	cancel  context.CancelFunc
	writing sync.WaitGroup
}

const (
	// noResponse allows writes without a response, for faults that end the daemon.
	noResponse = "no response"
	// notConnected allows writes that were never sent because nothing listens: after a stop that drains.
	notConnected = "not connected"
)

// writers is the number of concurrent writers on each path.
const writers = 4

// write begins to write as a person. The refusals that the reference promises while the database is
// unreachable, and the given ones, are not failures.
func (c *check) write(p *person, allowed ...string) *ledgers {
	l := c.newLedgers(allowed...)
	l.begin(p)
	return l
}

// newLedgers prepares the ledgers of write, for several writers.
func (c *check) newLedgers(allowed ...string) *ledgers {
	run := time.Now().UnixNano() % 1_000_000
	l := &ledgers{check: c, allowed: append(allowed, `503 {"code":"STORE_UNAVAILABLE"}`,
		`503 {"code":"PRINCIPAL_RESOLUTION_FAILED"}`, `503 {"code":"MODULE_OVERLOADED"}`)}
	l.all = []*ledger{
		{name: "the API", table: `SELECT email FROM core.invitation`, keys: make(map[string]bool),
			send: func(ctx context.Context, p *person, n int64) (response, string) {
				email := fmt.Sprintf("guest-%d-%d@example.org", run, n)
				return p.doContext(ctx, "POST", "/api/v1/invitations", map[string]string{"email": email}), email
			}},
		{name: "a module", table: `SELECT id FROM module_board.notes`, keys: make(map[string]bool),
			send: func(ctx context.Context, p *person, _ int64) (response, string) {
				got := p.doContext(ctx, "POST", "/api/v1/modules/board/notes", nil)
				return got, got.body
			}},
	}
	l.writes, l.cancel = context.WithCancel(c.ctx)
	c.cleanup(l.stop)
	return l
}

// begin writes as a person, in addition to earlier writers.
func (l *ledgers) begin(p *person) {
	for _, each := range l.all {
		for range writers {
			l.writing.Go(func() {
				for l.writes.Err() == nil {
					l.writeOne(each, p)
					pause(l.writes, 20*time.Millisecond)
				}
			})
		}
	}
}

func (l *ledgers) writeOne(each *ledger, p *person) {
	got, key := each.send(context.WithoutCancel(l.ctx), p, each.number.Add(1))
	unsent := errors.Is(got.err, syscall.ECONNREFUSED)
	switch {
	case got.status == http.StatusOK || got.status == http.StatusCreated:
		each.mu.Lock()
		each.keys[key] = true
		each.mu.Unlock()
		each.acknowledged.Add(1)
	case p == l.faulty, slices.Contains(l.allowed, got.String()),
		unsent && slices.Contains(l.allowed, notConnected),
		got.err != nil && slices.Contains(l.allowed, noResponse):
		each.refused.Add(1)
		if got.err != nil {
			pause(l.ctx, 100*time.Millisecond)
		}
	default:
		l.wrong("a write through %s: %v", each.name, got)
		pause(l.ctx, time.Second)
	}
}

func (l *ledgers) stop() {
	l.cancel()
	l.writing.Wait()
}

// more waits until that many more writes on each path were acknowledged.
func (l *ledgers) more(n int64) {
	for _, each := range l.all {
		wanted := each.acknowledged.Load() + n
		l.eventually("writes through "+each.name, func() bool { return each.acknowledged.Load() >= wanted })
	}
}

// moreRefused waits until that many more writes on each path were refused.
func (l *ledgers) moreRefused(n int64) {
	for _, each := range l.all {
		wanted := each.refused.Load() + n
		l.eventually("refusals of "+each.name, func() bool { return each.refused.Load() >= wanted })
	}
}

// compare stops writing and checks that all acknowledged writes exist. A refused write may also exist, if its
// connection broke after the commit and before the response.
func (l *ledgers) compare() {
	l.stop()
	for _, each := range l.all {
		rows, err := l.query(l.ctx, each.table)
		l.ok(err, "the rows of "+each.name)
		found := make(map[string]bool, len(rows))
		for _, row := range rows {
			found[row] = true
		}
		lost := 0
		for key := range each.keys {
			if !found[key] {
				lost++
			}
		}
		more := len(rows) + lost - len(each.keys)
		if each.name == "a module" {
			more -= int(l.confirmed.Load())
		}
		if lost > 0 || more > int(each.refused.Load()) {
			l.wrong("%s: of %d acknowledged writes %d are lost; %d rows more, %d refused", each.name, len(each.keys),
				lost, more, each.refused.Load())
		}
		l.saw("%s: %d acknowledged and there, %d refused", each.name, len(each.keys), each.refused.Load())
	}
}
