package database

import (
	"context"
	"strconv"
)

// Ping asks the server for a sign of life, on a connection of its own, for as long as ctx allows. Pings take turns. Its error is
// ErrUnreachable.
func (d *Database) Ping(ctx context.Context) error {
	if err := d.probe.ping(ctx); err != nil {
		return fail(ErrUnreachable, err)
	}
	return nil
}

// Check tells whether the server can be used at all: ErrUnreachable, ErrVersionUnsupported or nil. It reads nothing of the schema.
func (d *Database) Check(ctx context.Context) error {
	conn, err := d.core.Acquire(ctx)
	if err != nil {
		return fail(ErrUnreachable, err)
	}
	defer conn.Release()
	var text string
	if err := conn.QueryRow(ctx, "SELECT current_setting('server_version_num')").Scan(&text); err != nil {
		return fail(ErrUnreachable, err)
	}
	if version, err := strconv.Atoi(text); err != nil || version < oldestServer {
		return ErrVersionUnsupported
	}
	return nil
}
