package migrations

import (
	"context"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Options configures a run of Apply.
type Options struct {
	// Connect is the configuration of connections as Core's user. Its statement_timeout is ignored, because a
	// migration may take long (unlimited).
	Connect *pgx.ConnConfig
	// Modules are the lines of all present modules that declare a database, enabled or not.
	Modules []Line
	// SharedRole lets modules use Core's user where roles may not be created. It is for development only,
	// because then modules are not isolated.
	SharedRole bool
	// RolePrefix is the prefix of the names of new roles.
	RolePrefix string
	// Home is the configuration of connections to the installation's own database, where the functions are that
	// make roles, if Connect is to another one. Nil: Connect.
	Home *pgx.ConnConfig
	// Observe is called for each file that was applied or has failed, with the locks that it held. Nil: locks
	// are not observed.
	Observe func(Observation)
}

// Apply brings the database up to date: Core, then each module's role and schema, then each module's files.
// It checks all histories before it writes anything. Any number of runs may be concurrent; each file is
// applied once. ctx bounds the whole run. An interrupted run leaves only complete files, and the next run
// continues.
//
// Errors: ErrUnreachable, ErrVersionUnsupported, ErrFiles, ErrHistoryChanged, ErrDowngrade, ErrFailed,
// ErrRoleUnavailable (Statements has the remedy).
func Apply(ctx context.Context, options Options) (Report, error) {
	core, err := Core()
	if err != nil {
		return Report{}, err
	}
	return apply(ctx, core, options)
}

func apply(ctx context.Context, core Line, options Options) (_ Report, err error) {
	m := migrator{options: options, core: core, changes: changes{}}
	if err := validate(options.Modules); err != nil {
		return Report{}, err
	}
	if m.conn, err = pgx.ConnectConfig(ctx, options.Connect); err != nil {
		return Report{}, noSession(err)
	}
	defer closeConn(m.conn)
	defer m.closeHome()
	if options.Observe != nil {
		conn, err := pgx.ConnectConfig(ctx, options.Connect)
		if err != nil {
			return Report{}, noSession(err)
		}
		m.observer = &observer{conn: conn, tell: options.Observe}
		defer closeConn(conn)
	}
	for _, step := range []func(context.Context) error{m.checkVersion, m.checkHistories, m.applyCore,
		m.provision, m.applyModules} {
		if err := step(ctx); err != nil {
			return Report{}, err
		}
	}
	report, err := status(ctx, m.conn, core, options.Modules)
	m.changes.mark(report)
	return report, err
}

// migrator is one run of Apply.
type migrator struct {
	options Options
	core    Line
	conn    *pgx.Conn // Core's user
	roles   []role    // in the order of options.Modules
	changes changes

	home     *pgx.Conn // of options.Home; nil: conn
	prepared bool      // an administrator's functions make roles

	observer *observer // nil: locks are not observed
}

// setting returns a copy of a configuration whose sessions begin with further settings.
func setting(connect *pgx.ConnConfig, settings string) *pgx.ConnConfig {
	config := connect.Copy()
	before := config.AfterConnect
	config.AfterConnect = func(ctx context.Context, conn *pgconn.PgConn) error {
		if before != nil {
			if err := before(ctx, conn); err != nil {
				return err
			}
		}
		return conn.Exec(ctx, settings).Close()
	}
	return config
}

const oldestServer = 150000 // PostgreSQL 15 as server_version_num writes it

func (m *migrator) checkVersion(ctx context.Context) error {
	var text string
	if err := m.conn.QueryRow(ctx, `SELECT current_setting('server_version_num')`).Scan(&text); err != nil {
		return coded(CoreLine, err)
	}
	if version, err := strconv.Atoi(text); err != nil || version < oldestServer {
		return ErrVersionUnsupported
	}
	return nil
}

// checkHistories verifies every line before anything is written. Each file's transaction verifies its line
// again, under the lock.
func (m *migrator) checkHistories(ctx context.Context) error {
	exists, err := ledgerExists(ctx, m.conn)
	if err != nil || !exists {
		return coded(CoreLine, err)
	}
	read, err := histories(ctx, m.conn)
	if err != nil {
		return coded(CoreLine, err)
	}
	for _, line := range append([]Line{m.core}, m.options.Modules...) {
		if _, err := line.verify(read[line.ID]); err != nil {
			return err
		}
	}
	return nil
}

func (m *migrator) applyCore(ctx context.Context) error {
	if err := ensureLedger(ctx, m.conn); err != nil {
		return err
	}
	return m.applyCoreFiles(ctx)
}

// validate refuses duplicate and invalid module ids, which the catalog never returns.
func validate(modules []Line) error {
	seen := []string{CoreLine}
	for _, line := range modules {
		if slices.Contains(seen, line.ID) || !moduleID.MatchString(line.ID) {
			return at(ErrFiles, line.ID)
		}
		seen = append(seen, line.ID)
		if err := line.valid(); err != nil {
			return err
		}
	}
	return nil
}
