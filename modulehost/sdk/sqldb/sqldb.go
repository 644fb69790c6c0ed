// Package sqldb gives a module its database as a *sql.DB. It is a driver of database/sql over sdk.DB, so it
// reaches only the module's own schema, with the module's own role.
//
//	func (m *module) Start(_ context.Context, h *sdk.Host) error { m.db = sqldb.Open(h); return nil }
//	func (m *module) Stop(context.Context) error                 { return m.db.Close() }
//
// Parameters are $1, $2, ...; []string and []int64 are accepted for "= ANY($1)". A prepared statement is only
// its text, which is sent with each call, one statement a call. Within a transaction rows must be read to the
// end or closed before the next statement. An error of PostgreSQL is a *sdk.DatabaseError, with its SQLSTATE.
// There is no LastInsertId: use RETURNING.
package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// connections is the number of connections that the platform gives a module. Further callers wait in the
// pool, until their contexts end.
const connections = 4

// Open returns the pool of h's database; Close it in Stop. Open sends nothing. If the manifest declares no
// database, every use of the pool fails.
func Open(h *sdk.Host) *sql.DB {
	db := sql.OpenDB(connector{h.DB})
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections) // an idle one uses nothing of the platform's
	return db
}

var (
	errNoDatabase = errors.New("sqldb: module.json declares no database")
	errNoDSN      = errors.New("sqldb: use Open")
	errNamed      = errors.New("sqldb: named arguments are not supported; use $1, $2 and so on")
)

type connector struct{ db *sdk.DB }

// Connect returns a connection. It occupies one of the platform's only while it runs a statement or a
// transaction.
func (c connector) Connect(context.Context) (driver.Conn, error) {
	if c.db == nil {
		return nil, errNoDatabase
	}
	return &conn{db: c.db}, nil
}

// Driver implements driver.Connector. It cannot open a database by name.
func (c connector) Driver() driver.Driver { return c }

// Open always fails: there are no data source names.
func (connector) Open(string) (driver.Conn, error) { return nil, errNoDSN }
