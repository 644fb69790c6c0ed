package migrations

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
)

// applyCore applies what is missing of Core's line, a file and its ledger row in one transaction each.
func applyCore(ctx context.Context, conn *pgx.Conn, line Line, changes changes) error {
	for {
		var next *File
		err := locked(ctx, conn, func(tx pgx.Tx) error {
			file, err := line.next(ctx, tx)
			if file == nil || err != nil {
				return err
			}
			next = file
			if err := run(ctx, tx, CoreLine, file.SQL); err != nil {
				return err
			}
			return record(ctx, tx, line.ID, *file, "applied")
		})
		switch {
		case err != nil && next != nil:
			return atFile(fileFailure(err), line.ID, *next, err)
		case err != nil:
			return coded(line.ID, err)
		case next == nil:
			return nil
		}
		changes.add(line.ID, next.Version)
	}
}

// next reads the line's history, under the lock, and returns the first file that is not applied; nil when all are.
func (l Line) next(ctx context.Context, tx pgx.Tx) (*File, error) {
	read, err := histories(ctx, tx)
	if err != nil {
		return nil, err
	}
	applied, err := l.verify(read[l.ID])
	if err != nil || applied == len(l.Files) {
		return nil, err
	}
	return &l.Files[applied], nil
}

// fileFailure keeps a code that is there already, and tells a file that the server refused, and undid, from a session that broke, after
// which nobody knows yet.
func fileFailure(err error) Error {
	var known Error
	switch {
	case errors.As(err, &known):
		return known
	case sqlState(err) != "":
		return ErrFailed
	}
	return ErrUnreachable
}
