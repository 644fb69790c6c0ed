// Package sqldb owns the way to a module's database for those who want database/sql: a driver over sdk.DB,
// and so over the module's own schema and role alone.
//
//	func (m *module) Start(_ context.Context, h *sdk.Host) error { m.db = sqldb.Open(h); return nil }
//	func (m *module) Stop(context.Context) error                 { return m.db.Close() }
//
// Placeholders are $1, $2, ...; []string and []int64 may stand for "= ANY($1)". A prepared statement is its
// text: it is sent with each call, one statement a call. Within a transaction rows are read to the end or
// closed before the next statement. What PostgreSQL refuses is a *sdk.DatabaseError, with its SQLSTATE.
// There is no LastInsertId: use RETURNING.
package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// connections is what the platform gives a module: further users wait here, and for as long as their
// contexts want.
const connections = 4

// Open makes the pool of h's database; Close it in Stop. Nothing is sent yet: without a database in the
// manifest every use of the pool fails.
func Open(h *sdk.Host) *sql.DB {
	db := sql.OpenDB(connector{h.DB})
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections) // they cost nothing
	return db
}

var (
	errNoDatabase = errors.New("sqldb: module.json declares no database")
	errNoDSN      = errors.New("sqldb: use Open")
	errNamed      = errors.New("sqldb: named arguments are not supported; use $1, $2 and so on")
)

type connector struct{ db *sdk.DB }

// Connect makes a connection, which holds nothing of the platform's between its statements.
func (c connector) Connect(context.Context) (driver.Conn, error) {
	if c.db == nil {
		return nil, errNoDatabase
	}
	return &conn{db: c.db}, nil
}

// Driver is what database/sql wants to know; there is nothing to open by name.
func (c connector) Driver() driver.Driver { return c }

// Open refuses.
func (connector) Open(string) (driver.Conn, error) { return nil, errNoDSN }
