package database

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/services/environment"
)

// ServerState is the result of connecting to a single server of DATABASE_URL.
type ServerState struct {
	Why      Why // why there is no session; "": there is one
	Writable bool
	// Cluster is the same for a primary and its standbys. Instance is the same only for two addresses of one
	// server.
	Cluster, Instance string
	CertificateEnd    time.Time // zero without TLS
	timeline          int64     // only of a writable server
}

// Survey connects to each server separately, all at the same time, and returns the results in the order of
// the servers.
func Survey(ctx context.Context, settings environment.Database) []ServerState {
	return surveyThrough(ctx, settings, func(dial dialFunc) dialFunc { return dial })
}

func surveyThrough(
	ctx context.Context, settings environment.Database, watch func(dialFunc) dialFunc,
) []ServerState {
	states := make([]ServerState, len(settings.Servers))
	var asking sync.WaitGroup
	for i, server := range settings.Servers {
		alone := settings
		alone.Servers, alone.Writable = []environment.DatabaseServer{server}, false
		config := Config(alone)
		config.DialFunc = watch(config.DialFunc)
		asking.Go(func() { states[i] = survey(ctx, config) })
	}
	asking.Wait()
	return states
}

func survey(ctx context.Context, config *pgx.ConnConfig) (state ServerState) {
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return ServerState{Why: WhyOf(err)}
	}
	defer func() { _ = conn.Close(ctx) }()
	state.CertificateEnd, _ = certificateEnd(conn)
	err = conn.QueryRow(ctx, `
		SELECT current_setting('transaction_read_only') = 'off', system_identifier::text,
		       pg_postmaster_start_time()::text
		FROM pg_control_system()`, pgx.QueryExecModeExec).Scan(&state.Writable, &state.Cluster, &state.Instance)
	if err != nil {
		return ServerState{Why: WhyOf(err)}
	}
	if state.Writable {
		if _, state.timeline, err = timelineOf(ctx, conn.PgConn()); err != nil {
			return ServerState{Why: WhyOf(err)}
		}
	}
	return state
}

// learnTimelines reads the timeline of every server before the first session. So no session is opened on a
// primary that was replaced, even if it is the first in the list.
func (d *Database) learnTimelines(ctx context.Context) {
	if len(d.settings.Servers) == 1 {
		return
	}
	for _, state := range surveyThrough(ctx, d.settings, d.watch) {
		d.newest.rememberTimeline(state.Cluster, state.timeline)
	}
}
