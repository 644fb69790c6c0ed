package database

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/services/environment"
)

// ServerState is what one server of DATABASE_URL said when it was asked by itself.
type ServerState struct {
	Why      Why // of no session; "": there was one
	Writable bool
	// Cluster is equal for a primary and its standbys, Instance only for two ways to one server.
	Cluster, Instance string
	CertificateEnd    time.Time // zero without TLS
	timeline          int64     // of one that is writable
}

// Survey asks each server by itself, all at once, and returns what they said in their order.
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
		FROM pg_control_system()`).Scan(&state.Writable, &state.Cluster, &state.Instance)
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

// learnTimelines asks every server before the first session, so that none is opened on a primary that was
// replaced, wherever it stands in the list.
func (d *Database) learnTimelines(ctx context.Context) {
	if len(d.settings.Servers) == 1 {
		return
	}
	for _, state := range surveyThrough(ctx, d.settings, d.watch) {
		d.newest.isNewest(state.Cluster, state.timeline)
	}
}
