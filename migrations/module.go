package migrations

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
)

// applyModules connects as each module's role and applies the missing files of its line.
func (m *migrator) applyModules(ctx context.Context) error {
	for i, line := range m.options.Modules {
		conn, err := m.login(ctx, m.roles[i])
		if err != nil {
			return coded(line.ID, err)
		}
		err = m.applyModule(ctx, conn, line, m.roles[i])
		closeConn(conn)
		if err != nil {
			return err
		}
	}
	return nil
}

func (m *migrator) applyModule(ctx context.Context, conn *pgx.Conn, line Line, r role) error {
	if err := ensureMarkers(ctx, conn, r); err != nil {
		return coded(line.ID, err)
	}
	for {
		file, err := m.begin(ctx, line)
		if file == nil || err != nil {
			return coded(line.ID, err)
		}
		ran, err := m.applyMarked(ctx, conn, line, r, *file)
		if err != nil {
			code := fileFailure(err)
			if code == ErrFailed { // rolled back; after a broken session the next run finds out
				err = errors.Join(err, m.withdraw(ctx, line, *file))
			}
			return atFile(code, line.ID, *file, err)
		}
		if err := m.complete(ctx, line, *file); err != nil {
			return coded(line.ID, err)
		}
		if ran {
			m.changes.add(line.ID, file.Version)
		}
	}
}

// ensureMarkers creates the table of markers, as the module's role. When two runs conflict, the losing one
// checks again.
func ensureMarkers(ctx context.Context, conn *pgx.Conn, r role) error {
	for {
		_, err := conn.Exec(ctx, `
			CREATE TABLE IF NOT EXISTS `+r.markers()+` (
			    version    integer     PRIMARY KEY,
			    checksum   text        NOT NULL,
			    applied_at timestamptz NOT NULL DEFAULT now()
			)`)
		if !lostRace(err) {
			return err
		}
	}
}

func (r role) markers() string { return pgx.Identifier{r.schema, "narthex_migration"}.Sanitize() }

// begin commits "applying" for the line's next file and returns the file, or nil when none is left.
func (m *migrator) begin(ctx context.Context, line Line) (next *File, err error) {
	err = locked(ctx, m.conn, func(tx pgx.Tx) error {
		if next, err = line.next(ctx, tx); next == nil || err != nil {
			return err
		}
		return record(ctx, tx, line.ID, *next, "applying")
	})
	return next, err
}

// applyMarked runs the file and writes its marker, as the module's role, in one transaction. A marker that
// exists already means that another run, perhaps a dead one, has applied the file. Because of the lock, only
// one run applies the file.
func (m *migrator) applyMarked(
	ctx context.Context, conn *pgx.Conn, line Line, r role, file File,
) (ran bool, err error) {
	err = pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, unlimited+`; LOCK TABLE `+r.markers()+` IN SHARE ROW EXCLUSIVE MODE`)
		if err != nil {
			return err
		}
		var checksum string
		err = tx.QueryRow(ctx, `SELECT checksum FROM `+r.markers()+` WHERE version = $1`,
			file.Version).Scan(&checksum)
		switch {
		case err == nil && checksum == file.checksum():
			return nil
		case err == nil:
			return at(ErrHistoryChanged, line.ID)
		case !errors.Is(err, pgx.ErrNoRows):
			return err
		}
		err = m.observer.run(ctx, tx, line.ID, file, func() error { return run(ctx, tx, r.schema, file.SQL) })
		if err != nil {
			return err
		}
		ran = true
		_, err = tx.Exec(ctx, `INSERT INTO `+r.markers()+` (version, checksum) VALUES ($1, $2)`, file.Version,
			file.checksum())
		return err
	})
	return ran, err
}

// complete stores "applied", whatever the row's state is, because the marker is committed.
func (m *migrator) complete(ctx context.Context, line Line, file File) error {
	return locked(ctx, m.conn, func(tx pgx.Tx) error { return record(ctx, tx, line.ID, file, "applied") })
}

// withdraw deletes the "applying" row of a failed file.
func (m *migrator) withdraw(ctx context.Context, line Line, file File) error {
	return locked(ctx, m.conn, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `
			DELETE FROM core.migration
			WHERE line = $1 AND version = $2 AND state = 'applying'`, line.ID, file.Version)
		return err
	})
}

// closeConn closes a connection within 2 s, also after the context of the run has ended.
func closeConn(conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	_ = conn.Close(ctx)
}
