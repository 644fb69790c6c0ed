package backup_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/migrations"
	"github.com/narthex-platform/narthex/services/backup"
)

// TestAutovacuumInATrialDatabase: a user who is no superuser drops the trial database while an autovacuum
// worker is in it. The settings of the server make the worker come soon and stay long.
func TestAutovacuumInATrialDatabase(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for an autovacuum worker, up to a minute")
	}
	t.Parallel()
	p := empty(t)
	p.Exec(t, `CREATE ROLE keeper LOGIN CREATEDB CREATEROLE PASSWORD 'keeper'`)
	defer p.Exec(t, `DROP ROLE keeper`)
	p.Exec(t, `ALTER DATABASE `+p.Settings.Name+` OWNER TO keeper`)
	defer p.Exec(t, `DROP OWNED BY keeper CASCADE; ALTER DATABASE `+p.Settings.Name+` OWNER TO `+p.Settings.User)
	p.Connect.User, p.Connect.Password = "keeper", "keeper"
	if _, err := migrations.Apply(t.Context(), migrations.Options{Connect: p.Connect}); err != nil {
		t.Fatalf("migrations: %v", err)
	}
	for setting, value := range map[string]string{"autovacuum_naptime": "1s",
		"autovacuum_vacuum_cost_delay": "100ms", "autovacuum_vacuum_cost_limit": "1"} {
		p.Exec(t, `ALTER SYSTEM SET `+setting+` = '`+value+`'`)
		defer p.Exec(t, `SELECT pg_reload_conf()`)
		defer p.Exec(t, `ALTER SYSTEM RESET `+setting)
	}
	p.Exec(t, `SELECT pg_reload_conf()`)
	err := backup.Clone(t.Context(), p.Installation, func(ctx context.Context, made backup.Scratch) error {
		session, err := pgx.ConnectConfig(ctx, made.Connect)
		if err != nil {
			return err
		}
		defer func() { _ = session.Close(ctx) }()
		_, err = session.Exec(ctx, `CREATE TABLE core.large AS SELECT generate_series(1, 200000) AS n`)
		tick, late := time.NewTicker(20*time.Millisecond), time.After(2*time.Minute)
		defer tick.Stop()
		for found := false; err == nil && !found; {
			select {
			case <-tick.C:
			case <-late:
				return errors.New("no autovacuum worker came within two minutes")
			}
			err = p.Pool(t).QueryRow(ctx, `
				SELECT EXISTS (SELECT FROM pg_stat_activity
				               WHERE backend_type = 'autovacuum worker' AND datname = $1)`,
				made.Connect.Database).Scan(&found)
		}
		return err
	})
	if left := p.trials(); err != nil || len(left) > 0 {
		t.Errorf("a clone with an autovacuum worker in it: %v: %v, left behind %v", err, causes(err), left)
	}
}
