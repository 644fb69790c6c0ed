package facade

import (
	"context"

	"github.com/jackc/pgx/v5/pgconn"
	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

// exec runs one statement and returns the number of affected rows.
func (s *session) exec(ctx context.Context, request *abi.ExecRequest) (proto.Message, error) {
	var affected int64
	if isCopy(request.GetSql()) {
		return nil, errCopy()
	}
	err := s.onConnection(ctx, request.GetTransaction(), func(ctx context.Context, l *lease) error {
		return l.conn.Run(ctx, request.GetSql(), decodeArguments(request.GetArguments()),
			func(rows *pgconn.ResultReader) error {
				tag, err := rows.Close()
				affected = tag.RowsAffected()
				return err
			})
	})
	if err != nil {
		return nil, databaseError(err)
	}
	return &abi.ExecResponse{RowsAffected: affected}, nil
}

// onConnection runs f on the transaction's connection, or on a new lease if there is no transaction.
func (s *session) onConnection(
	ctx context.Context, transaction uint64, f func(context.Context, *lease) error,
) error {
	if transaction != 0 {
		return s.inTransaction(ctx, transaction, f)
	}
	l, err := s.acquire(ctx)
	if err != nil {
		return err
	}
	defer l.release()
	return l.during(ctx, func(ctx context.Context) error { return f(ctx, l) })
}

// inTransaction runs f on the transaction's connection and checks afterwards that the transaction still
// exists, because a module can send COMMIT as a plain statement.
func (s *session) inTransaction(ctx context.Context, id uint64, f func(context.Context, *lease) error) error {
	l, found := s.find(id)
	if !found || !l.transaction {
		return ErrTransactionEnded
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.hasEnded():
		return ErrTransactionEnded
	case l.rows != nil:
		return ErrRowsUnread
	}
	err := l.during(ctx, func(ctx context.Context) error { return f(ctx, l) })
	if l.rows == nil && (l.conn.IsClosed() || l.conn.PgConn().TxStatus() == 'I') {
		l.cancel()
		if err == nil {
			err = ErrTransactionEnded
		}
	}
	return err
}

func (s *session) begin(ctx context.Context, _ *abi.BeginRequest) (proto.Message, error) {
	l, err := s.acquire(ctx)
	if err != nil {
		return nil, err
	}
	l.transaction = true
	err = l.during(ctx, func(ctx context.Context) error { return l.conn.Begin(ctx) })
	if err != nil {
		l.release()
		return nil, databaseError(err)
	}
	return &abi.BeginResponse{Transaction: s.keep(l)}, nil
}

func (s *session) commit(ctx context.Context, request *abi.CommitRequest) (proto.Message, error) {
	var committed bool
	err := s.finish(ctx, request.GetTransaction(), func(ctx context.Context, l *lease) (err error) {
		committed, err = l.conn.Commit(ctx)
		return err
	})
	switch {
	case err != nil:
		return nil, databaseError(err)
	case !committed:
		return nil, ErrTransactionEnded
	}
	return &abi.CommitResponse{}, nil
}

func (s *session) rollback(ctx context.Context, request *abi.RollbackRequest) (proto.Message, error) {
	err := s.finish(ctx, request.GetTransaction(), func(ctx context.Context, l *lease) error {
		return l.conn.Rollback(ctx)
	})
	if err != nil {
		return nil, databaseError(err)
	}
	return &abi.RollbackResponse{}, nil
}

// finish runs a transaction's last statement and releases its connection, also after an error.
func (s *session) finish(ctx context.Context, id uint64, last func(context.Context, *lease) error) error {
	l, found := s.find(id)
	if !found || !l.transaction {
		return ErrTransactionEnded
	}
	defer l.release()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hasEnded() {
		return ErrTransactionEnded
	}
	l.closeRows()
	return l.during(ctx, func(ctx context.Context) error { return last(ctx, l) })
}
