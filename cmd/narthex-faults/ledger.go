package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// ledger holds what was acknowledged of the writes on one path.
type ledger struct {
	name                  string
	send                  func(ctx context.Context, n int64) (got answer, key string)
	table                 string // a query of the keys that are there
	acknowledged, refused atomic.Int64

	mu   sync.Mutex
	keys map[string]bool
}

// ledgers are writes through the API and through a module, which go on until stop.
type ledgers struct {
	*check
	all     []*ledger
	allowed []string // the refusals that may come, as answer prints them
	cancel  context.CancelFunc
	writing sync.WaitGroup
}

// noAnswer allows writes that get no answer, where the daemon itself ends.
const noAnswer = "no answer"

// writers is how many write at once on each path.
const writers = 4

// write begins writing as a person. Refusals that the reference promises while the database is away, and
// those that are named, are no failure.
func (c *check) write(p *person, allowed ...string) *ledgers {
	run := time.Now().UnixNano() % 1_000_000
	l := &ledgers{check: c, allowed: append(allowed, `503 {"code":"STORE_UNAVAILABLE"}`,
		`503 {"code":"PRINCIPAL_RESOLUTION_FAILED"}`, `503 {"code":"MODULE_OVERLOADED"}`)}
	l.all = []*ledger{
		{name: "the API", table: `SELECT email FROM core.invitation`, keys: make(map[string]bool),
			send: func(ctx context.Context, n int64) (answer, string) {
				email := fmt.Sprintf("guest-%d-%d@example.org", run, n)
				return p.doContext(ctx, "POST", "/api/v1/invitations", map[string]string{"email": email}), email
			}},
		{name: "a module", table: `SELECT id FROM module_board.notes`, keys: make(map[string]bool),
			send: func(ctx context.Context, _ int64) (answer, string) {
				got := p.doContext(ctx, "POST", "/api/v1/modules/board/notes", nil)
				return got, got.body
			}},
	}
	ctx, cancel := context.WithCancel(c.ctx)
	l.cancel = cancel
	for _, each := range l.all {
		var number atomic.Int64
		for range writers {
			l.writing.Go(func() {
				for ctx.Err() == nil {
					l.writeOne(each, number.Add(1))
					pause(ctx, 20*time.Millisecond)
				}
			})
		}
	}
	c.cleanup(l.stop)
	return l
}

func (l *ledgers) writeOne(each *ledger, n int64) {
	got, key := each.send(context.WithoutCancel(l.ctx), n)
	switch {
	case got.status == http.StatusOK || got.status == http.StatusCreated:
		each.mu.Lock()
		each.keys[key] = true
		each.mu.Unlock()
		each.acknowledged.Add(1)
	case slices.Contains(l.allowed, got.String()), got.err != nil && slices.Contains(l.allowed, noAnswer):
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

// more waits until so many more writes on each path were acknowledged.
func (l *ledgers) more(n int64) {
	for _, each := range l.all {
		wanted := each.acknowledged.Load() + n
		l.eventually("writes through "+each.name, func() bool { return each.acknowledged.Load() >= wanted })
	}
}

// moreRefused waits until so many more writes on each path were refused.
func (l *ledgers) moreRefused(n int64) {
	for _, each := range l.all {
		wanted := each.refused.Load() + n
		l.eventually("refusals of "+each.name, func() bool { return each.refused.Load() >= wanted })
	}
}

// compare stops writing and looks for everything acknowledged. A refused write may be there: its connection
// broke before the answer of the commit.
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
			more -= int(l.told.Load())
		}
		if lost > 0 || more > int(each.refused.Load()) {
			l.wrong("%s: of %d acknowledged writes %d are lost; %d rows more, %d refused", each.name, len(each.keys),
				lost, more, each.refused.Load())
		}
		l.saw("%s: %d acknowledged and there, %d refused", each.name, len(each.keys), each.refused.Load())
	}
}
