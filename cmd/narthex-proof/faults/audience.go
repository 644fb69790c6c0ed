package main

import (
	"context"
	"encoding/json"
	"strconv"
	"sync"
	"time"
)

// audience is a reader of the board that stays connected, as a screen does: when its stream ends, it
// reconnects. It collects the notes of its updates and snapshots.
type audience struct {
	*check
	where string

	mu      sync.Mutex
	known   map[string]bool
	streams int
}

// follow starts to read as a person.
func (c *check) follow(p *person, where string) *audience {
	a := &audience{check: c, where: where, known: make(map[string]bool)}
	ctx, cancel := context.WithCancel(c.ctx)
	var reading sync.WaitGroup
	reading.Go(func() {
		for ctx.Err() == nil {
			a.read(ctx, p)
			pause(ctx, 2*time.Second) // what "retry" says
		}
	})
	c.cleanup(func() { cancel(); reading.Wait() })
	c.eventually("a reader at "+where, func() bool { return a.count() > 0 })
	return a
}

// read follows one stream to its end.
func (a *audience) read(ctx context.Context, p *person) {
	s, err := p.subscribe(ctx, "/api/v1/module-realtime/board/notes")
	if err != nil {
		return
	}
	defer s.close()
	for {
		kind, data, err := s.next()
		if err != nil {
			return
		}
		a.learn(kind, data)
	}
}

func (a *audience) learn(kind, data string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch kind {
	case "snapshot":
		var notes []int
		if json.Unmarshal([]byte(data), &notes) != nil {
			a.wrong("the reader at %s: a snapshot of %.100q", a.where, data)
		}
		for _, note := range notes {
			a.known[strconv.Itoa(note)] = true
		}
		a.streams++
	case "update":
		a.known[data] = true
	}
}

// count returns how many streams have begun.
func (a *audience) count() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.streams
}

// knowsAll waits until the reader has received every note in the database.
func (a *audience) knowsAll() {
	notes, err := a.query(a.ctx, `SELECT id FROM module_board.notes`)
	a.ok(err, "the notes")
	missing := 0
	if !a.within(patience, func() bool {
		a.mu.Lock()
		defer a.mu.Unlock()
		missing = 0
		for _, note := range notes {
			if !a.known[note] {
				missing++
			}
		}
		return missing == 0
	}) {
		a.wrong("the reader at %s never received %d of %d notes", a.where, missing, len(notes))
	}
	a.saw("the reader at %s received all %d notes, in %d streams", a.where, len(notes), a.count())
}
