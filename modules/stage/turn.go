package main

import "context"

// turn lets one write at a time run. The lock of the stage's row would do that too, but each write that waits
// for the lock holds a connection, and the platform serves a module's calls in order. With many waiting
// writes, the one that has the lock could not continue.
type turn chan struct{}

func newTurn() turn { return make(turn, 1) }

func (t turn) take(ctx context.Context) error {
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t turn) leave() { <-t }
