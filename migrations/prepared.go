package migrations

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// PreparedSchema is where an administrator's functions are (deploy/postgresql/roles.sql), with which Core's
// user makes the roles of modules without the right to create any other. No backup contains it.
const PreparedSchema = "narthex_roles"

const selectMayMake = `
SELECT me.rolsuper OR me.rolcreaterole AS may_create,
       EXISTS (SELECT FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace
               WHERE n.nspname = '` + PreparedSchema + `' AND p.proname = 'make'
                   AND has_schema_privilege(n.oid, 'USAGE')
                   AND has_function_privilege(p.oid, 'EXECUTE')) AS prepared
FROM pg_roles AS me
WHERE me.rolname = current_user`

// power is how a user may make roles.
type power struct {
	MayCreate bool // any
	Prepared  bool // those of modules, by the functions
}

func readPower(ctx context.Context, q Querier) (power, error) {
	rows, err := q.Query(ctx, selectMayMake, once)
	if err != nil {
		return power{}, err
	}
	return pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[power])
}

// MayMakeRoles reports whether the user of a connection may make the roles of modules.
func MayMakeRoles(ctx context.Context, q Querier) (bool, error) {
	found, err := readPower(ctx, q)
	return found.MayCreate || found.Prepared, coded(CoreLine, err)
}

// preparedRole reports whether the functions may change a role: they made it.
func preparedRole(ctx context.Context, q Querier, name string) (bool, error) {
	rows, err := q.Query(ctx, `SELECT `+PreparedSchema+`.made_here($1)`, once, name)
	if err != nil {
		return false, err
	}
	return pgx.CollectExactlyOneRow(rows, pgx.RowTo[bool])
}

// DropRole drops the role of a module that owns nothing any more, if it exists. conn is to the installation's
// database. Its error is the server's.
func DropRole(ctx context.Context, conn *pgx.Conn, name string) error {
	found, err := readPower(ctx, conn)
	if err != nil {
		return err
	}
	if found.Prepared {
		if found.Prepared, err = preparedRole(ctx, conn, name); err != nil {
			return err
		}
	}
	if found.Prepared {
		_, err = conn.Exec(ctx, `SELECT `+PreparedSchema+`.remove($1)`, name)
	} else {
		_, err = conn.Exec(ctx, `DROP ROLE IF EXISTS `+quote(name))
	}
	return err
}

// openHome opens the session on which the functions are called, if it is not the migrator's own, and finds
// out whether they are there.
func (m *migrator) openHome(ctx context.Context) (err error) {
	conn := m.conn
	if m.options.Home != nil {
		if m.home, err = pgx.ConnectConfig(ctx, m.options.Home); err != nil {
			return noSession(err)
		}
		conn = m.home
	}
	found, err := readPower(ctx, conn)
	m.prepared = found.Prepared
	return coded(CoreLine, err)
}

func (m *migrator) closeHome() {
	if m.home != nil {
		closeConn(m.home)
	}
}

// execer runs a statement within a transaction, or on the home session.
type execer interface {
	Querier
	Begin(ctx context.Context) (pgx.Tx, error)
}

// makeByFunction makes a role, or sets its password and settings again. done is false if the functions are
// not there or may not change the role, which existed before them.
func (m *migrator) makeByFunction(
	ctx context.Context, tx pgx.Tx, r role, exists bool,
) (done bool, err error) {
	if !m.prepared {
		return false, nil
	}
	at := execer(tx)
	if m.home != nil {
		at = m.home
	}
	if exists {
		if made, err := preparedRole(ctx, at, r.name); err != nil || !made {
			return false, err
		}
	}
	secret, err := verifier(r.password)
	if err != nil {
		return false, err
	}
	// nested, so that a refusal leaves the transaction usable
	err = pgx.BeginFunc(ctx, at, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `SELECT `+PreparedSchema+`.make($1, $2, $3)`, r.name, r.schema, secret)
		return err
	})
	if sqlState(err) == "42501" {
		return false, nil
	}
	return err == nil, err
}
