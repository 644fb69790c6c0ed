package database

import (
	"context"
	"net"
	"time"
)

// WithinGrace replaces how long Close waits for connections in use.
func (d *Database) WithinGrace(grace time.Duration) { d.closeGrace = grace }

// PassOverFor replaces how long an absent server is skipped.
func (d *Database) PassOverFor(period time.Duration) { d.absent.period = period }

// SkipAbsent returns a dial function that skips absent servers.
func SkipAbsent(dial func(ctx context.Context, network, address string) (net.Conn, error)) func(
	ctx context.Context, network, address string) (net.Conn, error) {
	return newUnreachable().skipAbsent(dial)
}
