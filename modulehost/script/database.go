package script

import (
	"context"
	"errors"
	"sync"

	"github.com/dop251/goja"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// transaction is one that a script has begun. The script's statements of it wait for each other, and so does
// its end, which may come from the end of the request.
type transaction struct {
	mu    sync.Mutex
	tx    *sdk.Tx
	held  int // under which its call holds it
	owner *call
	ended bool
}

var (
	errNoDatabase = errors.New("module.json declares no database; add \"database\": {\"abi\": 1}")
	errTxEnded    = errors.New("the transaction has ended; await every statement before its function returns")
)

// databaseNatives run statements. The first argument is a transaction, or nothing.
func (e *engine) databaseNatives() map[string]any {
	return map[string]any{
		"query": e.promised(func(a arguments) work {
			return e.statement(a, func(ctx context.Context, in sdk.Querier, sql string, values []any) (result, error) {
				read, err := query(ctx, in, sql, values)
				return func() (goja.Value, error) { return e.rowValues(read) }, err
			})
		}),
		"exec": e.promised(func(a arguments) work {
			return e.statement(a, func(ctx context.Context, in sdk.Querier, sql string, values []any) (result, error) {
				affected, err := in.Exec(ctx, sql, values...)
				return e.valued(affected), err
			})
		}),
		"begin": e.promised(func(arguments) work { return e.beginTransaction }),
		"commit": e.promised(func(a arguments) work {
			t := a.transaction()
			return func(ctx context.Context, _ *call) (result, error) { return nil, t.commit(ctx) }
		}),
		"rollback": e.promised(func(a arguments) work {
			t := a.transaction()
			return func(context.Context, *call) (result, error) {
				t.rollback()
				return nil, nil
			}
		}),
		"applyChange": e.promised(e.applyChange),
		"makeTurn": e.direct(func(arguments) (goja.Value, error) {
			return e.vm.ToValue(&heldTurn{sdk.NewTurn()}), nil
		}),
		"takeTurn":  e.promised(func(a arguments) work { return takeTurn(e, a.turn()) }),
		"leaveTurn": e.promised(func(a arguments) work { return leaveTurn(a.turn(), int(a.number(1, 0))) }),
	}
}

// transaction returns the first argument; nil for none.
func (a arguments) transaction() *transaction {
	t, _ := a.at(0).Export().(*transaction)
	return t
}

// heldTurn is a turn as a value of the script.
type heldTurn struct{ turn sdk.Turn }

func (a arguments) turn() sdk.Turn {
	held, is := a.at(0).Export().(*heldTurn)
	if !is {
		panic(a.vm.NewTypeError("a turn is made by db.changes"))
	}
	return held.turn
}

// statement reads the arguments of a statement: a transaction, the SQL, its values.
func (e *engine) statement(a arguments,
	run func(ctx context.Context, in sdk.Querier, sql string, values []any) (result, error)) work {
	sql, values := a.text(1, "the statement"), a.parameters(a.at(2))
	t := a.transaction()
	return func(ctx context.Context, _ *call) (result, error) {
		switch {
		case e.host.DB == nil:
			return nil, errNoDatabase
		case t == nil:
			return run(ctx, e.host.DB, sql, values)
		}
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.ended {
			return nil, errTxEnded
		}
		return run(ctx, t.tx, sql, values)
	}
}

// beginTransaction begins one that is rolled back when its call ends before it does.
func (e *engine) beginTransaction(ctx context.Context, c *call) (result, error) {
	if e.host.DB == nil {
		return nil, errNoDatabase
	}
	tx, err := e.host.DB.Begin(ctx)
	if err != nil {
		return nil, err
	}
	t := &transaction{tx: tx, owner: c}
	if t.held, err = c.hold(t.rollback); err != nil {
		return nil, err
	}
	return e.valued(t), nil
}

func (t *transaction) commit(ctx context.Context) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		return errTxEnded
	}
	if err := t.tx.Commit(ctx); err != nil {
		return err // the caller rolls it back, or the end of its call does
	}
	t.ended = true
	t.owner.release(t.held)
	return nil
}

func (t *transaction) rollback() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		return
	}
	t.ended = true
	t.owner.release(t.held)
	_ = t.tx.Rollback(context.WithoutCancel(t.owner.ctx)) // it ends by itself after 30 s
}

// takeTurn waits for the turn of a Changes, which the call holds until it leaves it or ends.
func takeTurn(e *engine, turn sdk.Turn) work {
	return func(ctx context.Context, c *call) (result, error) {
		if err := turn.Take(ctx); err != nil {
			return nil, err
		}
		held, err := c.hold(turn.Leave)
		return e.valued(held), err
	}
}

func leaveTurn(turn sdk.Turn, held int) work {
	return func(_ context.Context, c *call) (result, error) {
		if c.release(held) {
			turn.Leave()
		}
		return nil, nil
	}
}
