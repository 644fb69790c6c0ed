package migrations

import (
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// ChangedRoles returns the modules that have changed the settings or the password of their own database role.
// Apply repairs both; ChangedRoles changes nothing. connect is the configuration of connections as Core's
// user. Errors: ErrUnreachable.
func ChangedRoles(ctx context.Context, connect *pgx.ConnConfig, modules []Line) (changed []string,
	err error) {
	m := migrator{options: Options{Connect: connect}}
	if m.conn, err = pgx.ConnectConfig(ctx, connect); err != nil {
		return nil, noSession(err)
	}
	defer closeConn(m.conn)
	for _, line := range modules {
		is, err := m.roleChanged(ctx, line.ID)
		if err != nil {
			return nil, coded(line.ID, err)
		}
		if is {
			changed = append(changed, line.ID)
		}
	}
	return changed, nil
}

func (m *migrator) roleChanged(ctx context.Context, id string) (changed bool, err error) {
	var r role
	var exists bool
	err = pgx.BeginTxFunc(ctx, m.conn, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		if r, exists, err = readRole(ctx, tx, id); err != nil || !exists || r.name == "" {
			return err
		}
		around, err := r.look(ctx, tx)
		changed = around.RoleExists && r.changed(around)
		exists = around.RoleExists
		return err
	})
	if err != nil || changed || !exists || r.name == "" {
		return changed, err
	}
	conn, err := pgx.ConnectConfig(ctx, r.connect(m.options.Connect.Copy()))
	if err != nil {
		if passwordRefused(err) {
			return true, nil
		}
		return false, err
	}
	closeConn(conn)
	return false, nil
}

// connect sets user and password for a session of the role. For a role without a name it changes nothing: the
// module uses Core's user.
func (r role) connect(config *pgx.ConnConfig) *pgx.ConnConfig {
	if r.name != "" {
		config.User, config.Password = r.name, r.password
	}
	return config
}

// passwordRefused knows PostgreSQL's invalid_password, and the words of PgBouncer, which has one code for all
// its refusals.
func passwordRefused(err error) bool {
	var refused *pgconn.PgError
	return errors.As(err, &refused) && (refused.Code == "28P01" ||
		refused.Code == "08P01" && strings.HasSuffix(refused.Message, "authentication failed"))
}
