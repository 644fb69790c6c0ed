package main

import "context"

// turn lets one write at a time through. The row of the stage would do so, too, but each write that waits
// there holds a connection, and the platform serves a module's calls in the order in which they come: with
// many waiting, the one that has the lock could not go on.
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
