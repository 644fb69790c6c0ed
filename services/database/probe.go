package database

import (
	"context"
	"errors"
	"net"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/narthex-platform/narthex/services/environment"
)

// probe is the connection that Ping uses. It does not belong to a pool: when a server hangs, a pool opens
// more sockets, one for each caller and one more to cancel each abandoned statement. A probe has at most
// one socket.
type probe struct {
	config   *pgx.ConnConfig
	writable bool          // a ping also tests whether the server accepts writes
	pooled   bool          // its session is not its own, so it announces nothing
	turn     chan struct{} // full during a ping
	conn     *pgx.Conn     // nil: none is open
	socket   *probeSocket  // of conn
	closed   bool

	listener    atomic.Uint32  // what announce writes; 0: nothing listens yet
	announced   uint32         // what it announced last
	announcedBy *pgconn.PgConn // and in which session
}

// newProbe makes a probe that connects at its first ping.
func newProbe(
	config *pgx.ConnConfig, settings environment.Database, watch func(dialFunc) dialFunc,
) *probe {
	p := &probe{config: config, writable: settings.Writable, pooled: settings.Pooled,
		turn: make(chan struct{}, 1)}
	// with one server only the caller's context limits a ping; each of several servers has its own timeout
	if len(config.Fallbacks) == 0 {
		p.config.ConnectTimeout = 0
	}
	p.config.DialFunc = watch(p.dial)
	p.config.AfterConnect = p.announce // it needs none of the settings
	return p
}

func (p *probe) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if ctx.Value(pinging{}) != p {
		return nil, errSecondSocket
	}
	conn, err := dialer(0).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	p.socket = &probeSocket{Conn: conn}
	return p.socket, nil
}

// pinging marks the context of a ping. To cancel a statement pgx dials with another context.
type pinging struct{}

var errSecondSocket = errors.New("a probe has one socket")

// ping opens the connection when there is none and tests whether the server responds. When the server has
// closed the connection since the last ping, or no longer accepts writes, ping opens a new connection, once.
func (p *probe) ping(ctx context.Context) error {
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if p.closed {
		return ErrClosed
	}
	ctx = context.WithValue(ctx, pinging{}, p)
	if p.conn != nil {
		err := p.ask(ctx)
		if err == nil {
			err = p.announce(ctx, p.conn.PgConn())
		}
		if err == nil || ctx.Err() != nil {
			return p.settle(err)
		}
		_ = p.settle(err)
	}
	var err error
	if p.conn, err = pgx.ConnectConfig(ctx, p.config); err != nil {
		return err
	}
	return p.settle(p.ask(ctx))
}

// ask tests whether the server responds and, if it must accept writes, whether it still does.
func (p *probe) ask(ctx context.Context) error {
	if !p.writable {
		return p.conn.Ping(ctx)
	}
	return p.config.ValidateConnect(ctx, p.conn.PgConn())
}

// settle drops the connection after a failed ping. pgx cleans up in a goroutine, which finds the socket
// closed.
func (p *probe) settle(err error) error {
	if err != nil {
		_ = p.socket.Close()
		_ = p.conn.Close(context.Background()) // returns at once: the socket is closed
		<-p.conn.PgConn().CleanupDone()
		p.conn = nil
	}
	return err
}

// close waits for the ping in progress, which ends when its socket is cut.
func (p *probe) close() {
	p.turn <- struct{}{}
	defer func() { <-p.turn }()
	p.closed = true
	if p.conn != nil {
		p.socket.orderly.Store(true)
		_ = p.conn.Close(context.Background()) // sends one message and waits for no reply
		p.conn = nil
	}
}

// probeSocket resets its connection when it is closed, because an ordinary close waits for a server that
// may hang.
type probeSocket struct {
	net.Conn
	orderly atomic.Bool
}

func (s *probeSocket) Close() error {
	if tcp, ok := s.Conn.(interface{ SetLinger(seconds int) error }); ok && !s.orderly.Load() {
		_ = tcp.SetLinger(0)
	}
	return s.Conn.Close()
}
