package database

import (
	"context"
	"sync"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/services/environment"
)

// ServerState is what one server of DATABASE_URL said when it was asked by itself.
type ServerState struct {
	Why      Why // of no session; "": there was one
	Writable bool
	// Cluster is equal for a primary and its standbys, Instance only for two ways to one server.
	Cluster, Instance string
}

// Survey asks each server by itself, all at once, and returns what they said in their order.
func Survey(ctx context.Context, settings environment.Database) []ServerState {
	states := make([]ServerState, len(settings.Servers))
	var asking sync.WaitGroup
	for i, server := range settings.Servers {
		alone := settings
		alone.Servers, alone.Writable = []environment.DatabaseServer{server}, false
		asking.Go(func() { states[i] = survey(ctx, alone) })
	}
	asking.Wait()
	return states
}

func survey(ctx context.Context, settings environment.Database) (state ServerState) {
	conn, err := pgx.ConnectConfig(ctx, Config(settings))
	if err != nil {
		return ServerState{Why: WhyOf(err)}
	}
	defer func() { _ = conn.Close(ctx) }()
	err = conn.QueryRow(ctx, `
		SELECT current_setting('transaction_read_only') = 'off', system_identifier::text,
		       pg_postmaster_start_time()::text
		FROM pg_control_system()`).Scan(&state.Writable, &state.Cluster, &state.Instance)
	if err != nil {
		return ServerState{Why: WhyOf(err)}
	}
	return state
}
