package storage

import (
	"context"
	"net"
	"time"
)

// ValidKey and PhysicalName are the rules for keys and bucket names.
var (
	ValidKey     = validKey
	PhysicalName = physicalName
)

// Limits returns how long a call without a body may take, and how long one with a body may make no progress.
func (p *Provider) Limits() (call, stall time.Duration) { return p.limits.call, p.limits.stall }

// Shorten replaces both time limits.
func (p *Provider) Shorten(limit time.Duration) { p.limits.call, p.limits.stall = limit, limit }

// AwaitHeaders replaces how long one attempt waits for the head of a response.
func (p *Provider) AwaitHeaders(limit time.Duration) { p.transport.ResponseHeaderTimeout = limit }

// SetSpool replaces how much disk space a module's bodies may take.
func (p *Provider) SetSpool(bytes int64) { p.limits.spool = bytes }

// SetClock replaces the clock of read URLs.
func (p *Provider) SetClock(now func() time.Time) { p.now = now }

// DialBy opens every connection with dial.
func (p *Provider) DialBy(dial func(ctx context.Context, network, address string) (net.Conn, error)) {
	p.transport.DialContext = dial
}

// DialTo opens every connection to address, whatever its host.
func (p *Provider) DialTo(address string) {
	p.transport.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, address)
	}
}
