package database

import (
	"context"
	"errors"
	"strconv"
	"sync"

	"github.com/jackc/pgx/v5/pgconn"
)

// errReplaced refuses a session on a primary after one of its standbys was promoted.
var errReplaced = errors.New("a primary that was replaced")

// timelines remembers the newest known timeline of each cluster. PostgreSQL begins a new timeline with each
// promotion. A replaced primary that is started again also accepts writes, which would be lost. Only its
// older timeline reveals this.
type timelines struct {
	mu     sync.Mutex
	newest map[string]int64 // system identifier → timeline
}

func newTimelines() *timelines { return &timelines{newest: make(map[string]int64)} }

// refuseReplaced returns a check of a new session that first runs check, and then refuses a replaced primary.
func (t *timelines) refuseReplaced(check pgconn.ValidateConnectFunc) pgconn.ValidateConnectFunc {
	return func(ctx context.Context, conn *pgconn.PgConn) error {
		if err := check(ctx, conn); err != nil {
			return err
		}
		cluster, timeline, err := timelineOf(ctx, conn)
		if err != nil {
			return err
		}
		if !t.rememberTimeline(cluster, timeline) {
			return errReplaced
		}
		return nil
	}
}

// rememberTimeline reports whether no newer timeline of the cluster is known, and then remembers this one.
func (t *timelines) rememberTimeline(cluster string, timeline int64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if timeline < t.newest[cluster] {
		return false
	}
	t.newest[cluster] = timeline
	return true
}

// timelineOf queries the timeline of a primary. It returns 0 for a database that only implements PostgreSQL's
// protocol and refuses the query.
func timelineOf(ctx context.Context, conn *pgconn.PgConn) (cluster string, timeline int64, err error) {
	const ask = `
		SELECT system_identifier, pg_walfile_name(pg_current_wal_lsn())
		FROM pg_control_system()`
	results, err := conn.Exec(ctx, ask).ReadAll()
	if refused := (*pgconn.PgError)(nil); errors.As(err, &refused) && !conn.IsClosed() {
		return "", 0, nil
	}
	if err != nil {
		return "", 0, err
	}
	if len(results) != 1 || len(results[0].Rows) != 1 || len(results[0].Rows[0][1]) < 8 {
		return "", 0, nil
	}
	row := results[0].Rows[0]
	timeline, err = strconv.ParseInt(string(row[1][:8]), 16, 64) // a segment's name begins with its timeline
	if err != nil {
		return "", 0, nil
	}
	return string(row[0]), timeline, nil
}
