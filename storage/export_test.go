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

// Shorten replaces both limits of time.
func (p *Provider) Shorten(limit time.Duration) { p.limits.call, p.limits.stall = limit, limit }

// SetSpool replaces what the bodies of a module may take of the disk.
func (p *Provider) SetSpool(bytes int64) { p.limits.spool = bytes }

// SetClock replaces the clock of read URLs.
func (p *Provider) SetClock(now func() time.Time) { p.now = now }

// DialTo sends every connection to address, whatever host it is for.
func (p *Provider) DialTo(address string) {
	p.transport.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, address)
	}
}
