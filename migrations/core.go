package migrations

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
)

// applyCoreFiles applies the missing files of Core's line, each in one transaction with its ledger row.
func (m *migrator) applyCoreFiles(ctx context.Context) error {
	line := m.core
	for {
		var next *File
		err := locked(ctx, m.conn, func(tx pgx.Tx) error {
			file, err := line.next(ctx, tx)
			if file == nil || err != nil {
				return err
			}
			next = file
			err = m.observer.run(ctx, tx, line.ID, *file, func() error {
				err := run(ctx, tx, CoreLine, file.SQL)
				if err == nil && file.after != nil {
					err = file.after(ctx, tx)
				}
				return err
			})
			if err != nil {
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
		m.changes.add(line.ID, next.Version)
	}
}

// next reads the line's history, under the lock, and returns the first file that is not applied; nil when
// all are.
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

// fileFailure returns the code for a failed file: the error's own code if it has one; ErrFailed when the
// server refused the file, which undoes it; ErrUnreachable when the session broke, after which the result is
// unknown.
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
