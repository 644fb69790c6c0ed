package database

import (
	"context"
	"net"
	"sync"
	"time"
)

// budget bounds how many connections all modules hold together.
type budget struct {
	free chan struct{} // one token for each connection that may still be opened
}

func newBudget(size int) *budget {
	b := &budget{free: make(chan struct{}, size)}
	for range size {
		b.free <- struct{}{}
	}
	return b
}

// limit returns a dial function that waits for a token, as long as ctx allows, and gives it back when the connection closes.
func (b *budget) limit(dial dialFunc, closeIdle func()) dialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		if err := b.take(ctx, closeIdle); err != nil {
			return nil, err
		}
		conn, err := dial(ctx, network, address)
		if err != nil {
			b.free <- struct{}{}
			return nil, err
		}
		return &socket{Conn: conn, forget: sync.OnceFunc(func() { b.free <- struct{}{} })}, nil
	}
}

// take waits for a token. While none is free it has idle connections of all modules closed: one at rest must not starve a busy one.
func (b *budget) take(ctx context.Context, closeIdle func()) error {
	select {
	case <-b.free:
		return nil
	default:
	}
	again := time.NewTicker(200 * time.Millisecond)
	defer again.Stop()
	for {
		closeIdle()
		select {
		case <-b.free:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-again.C:
		}
	}
}
