package sdk

import (
	"context"
	"errors"
)

// Changes runs a module's writes one after the other, counts them, and publishes each one after its commit.
// Host.Changes makes it. Safe for concurrent use.
//
//	changes := h.Changes(`UPDATE board SET rev = rev + 1 RETURNING rev`)
//	err := changes.Write(ctx, func(tx *sdk.Tx, rev int64) (sdk.Updates, error) {
//		note, err := insertNote(ctx, tx, draft)
//		return sdk.Updates{"board": update{Rev: rev, Added: note}}, err
//	})
type Changes struct {
	host      *Host
	statement string
	turn      Turn
}

// Turn lets one caller at a time do something, such as what needs much memory. NewTurn makes it.
type Turn chan struct{}

// NewTurn makes a Turn that nobody has.
func NewTurn() Turn { return make(Turn, 1) }

// Take waits until no other caller has the turn, and then has it until Leave. It returns ctx's error at
// ctx's end.
func (t Turn) Take(ctx context.Context) error {
	return semaphore(t).acquire(ctx)
}

// TryTake takes the turn if no other caller has it, and reports whether it did. It does not wait.
func (t Turn) TryTake() bool {
	select {
	case t <- struct{}{}:
		return true
	default:
		return false
	}
}

// Leave gives the turn to the next caller.
func (t Turn) Leave() { semaphore(t).release() }

// Updates are what a change publishes: for each channel the update that its readers get.
type Updates map[string]any

// ErrUnchanged ends a change without effect: Write rolls it back, publishes nothing and returns nil.
var ErrUnchanged = errors.New("the change has no effect")

// Changes returns the writer of a module. Every change begins with the statement, which returns the rev and
// locks its row, so that changes of several processes wait for each other, too. Usually it increments the
// rev; SELECT rev ... FOR UPDATE leaves that to the change.
func (h *Host) Changes(statement string) *Changes {
	return &Changes{host: h, statement: statement, turn: NewTurn()}
}

// Write runs f in a transaction, with the rev that the statement returned, and publishes its updates after
// the commit. This process runs one change at a time, and the others wait without a connection, so that it
// publishes in the order of the revs. If another process makes a change in between, readers notice the
// missing rev and fetch a new snapshot.
//
// An update that is larger than MaxUpdate is sent as {"rev": N} alone, which asks readers for the same. The
// change is committed when it is published, so a failure to publish is only logged: readers notice the
// missing rev with the next update, or when their stream restarts within five minutes. Errors: those of f and
// of DB.
func (c *Changes) Write(ctx context.Context, f func(tx *Tx, rev int64) (Updates, error)) error {
	if err := c.turn.Take(ctx); err != nil {
		return err
	}
	defer c.turn.Leave()
	var rev int64
	var updates Updates
	err := c.host.DB.InTx(ctx, func(tx *Tx) (err error) {
		if err := tx.QueryRow(ctx, c.statement).Scan(&rev); err != nil {
			return err
		}
		updates, err = f(tx, rev)
		return err
	})
	if errors.Is(err, ErrUnchanged) {
		return nil
	}
	if err != nil {
		return err
	}
	for channel, update := range updates {
		err := c.host.Realtime.Publish(channel, update)
		if errors.Is(err, ErrUpdateTooLarge) {
			err = c.host.Realtime.Publish(channel, map[string]int64{"rev": rev})
		}
		if err != nil {
			c.host.Log.Warn("a change was not published", "channel", channel)
			reportError("publishing on channel "+channel, err)
		}
	}
	return nil
}
