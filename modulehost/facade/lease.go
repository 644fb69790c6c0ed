package facade

import (
	"context"
	"sync"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

// lease is one connection that the module uses for more than one call: for a transaction, for rows not read
// to their end, or both. It ends when it is released, after its lifetime, and with the process.
type lease struct {
	ctx    context.Context // the lifetime
	cancel context.CancelFunc

	mu          sync.Mutex // one statement at a time
	conn        *database.ModuleConn
	ended       bool
	transaction bool
	rows        *pgconn.ResultReader // unread rows
	carry       []byte               // the row that did not fit the last page
}

// acquire takes a connection for at most deadlines.Lease. ctx only bounds the wait for it.
func (s *session) acquire(ctx context.Context) (*lease, error) {
	if s.facade.config.Pool == nil {
		return nil, ErrDatabaseAbsent
	}
	wait, stopWaiting := context.WithTimeout(ctx, deadlines.Acquire)
	defer stopWaiting()
	stop := context.AfterFunc(s.ctx, stopWaiting)
	defer stop()
	conn, err := s.facade.config.Pool.Acquire(wait)
	if err != nil {
		return nil, ErrDatabaseUnavailable
	}
	lifetime, cancel := context.WithTimeout(s.ctx, deadlines.Lease)
	return &lease{ctx: lifetime, cancel: cancel, conn: conn}, nil
}

// during runs f until the lease ends or the call is cancelled, which cancels the statement.
func (l *lease) during(ctx context.Context, f func(ctx context.Context) error) error {
	both, cancel := context.WithCancel(l.ctx)
	defer cancel()
	stop := context.AfterFunc(ctx, cancel)
	defer stop()
	return f(both)
}

// keep stores the lease under an id until it is released, at the latest at the end of its lifetime.
func (s *session) keep(l *lease) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nextID++
	id := s.nextID
	s.leases[id] = l
	s.resources.Add(1)
	context.AfterFunc(l.ctx, func() {
		defer s.resources.Done()
		s.mu.Lock()
		delete(s.leases, id)
		s.mu.Unlock()
		l.release()
	})
	return id
}

func (s *session) find(id uint64) (*lease, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, found := s.leases[id]
	return l, found
}

// hasEnded reports whether the lease has ended or its lifetime is over. The caller holds its lock.
func (l *lease) hasEnded() bool { return l.ended || l.ctx.Err() != nil }

// release ends the lease. If the connection is still inside a transaction, the pool closes it, which rolls
// back; otherwise the pool resets it.
func (l *lease) release() {
	l.cancel()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return
	}
	l.ended = true
	l.closeRows()
	l.conn.Release()
}

// settleRows discards unread rows, and outside a transaction commits what their statement did. The caller
// holds the lease's lock.
func (l *lease) settleRows() error {
	l.closeRows()
	if l.transaction || l.ended {
		return nil
	}
	return l.conn.Settle(l.ctx)
}

// closeRows discards unread rows. The caller holds the lease's lock.
func (l *lease) closeRows() {
	if l.rows != nil {
		_, _ = l.rows.Close()
		l.rows, l.carry = nil, nil
	}
}
