package database

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/services/environment"
)

// probe is the connection that Ping uses. It is no connection of the pool, because a pool answers a server that does not answer with
// more sockets: a new connection for each caller, and one more to cancel each statement that was given up. A probe has one socket at
// most.
type probe struct {
	config *pgx.ConnConfig
	turn   chan struct{} // held by the ping under way
	conn   *pgx.Conn     // nil: none is open
	socket *probeSocket  // of conn
	closed bool
}

// newProbe makes a probe that connects when it is first asked.
func newProbe(settings environment.Database, sockets *sockets) *probe {
	p := &probe{config: Config(settings), turn: make(chan struct{}, 1)}
	p.config.ConnectTimeout = 0 // the caller's context alone bounds a ping: a second attempt would be a second socket
	p.config.DialFunc = sockets.watch(p.dial)
	return p
}

func (p *probe) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if ctx.Value(pinging{}) != p {
		return nil, errSecondSocket
	}
	conn, err := (&net.Dialer{KeepAlive: time.Minute}).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	p.socket = &probeSocket{Conn: conn}
	return p.socket, nil
}

// pinging marks the context of a ping. pgx dials under a context of its own to cancel a statement.
type pinging struct{}

var errSecondSocket = errors.New("a probe has one socket")

// ping opens the connection when there is none and asks the server for a sign of life. A connection that the server has closed since
// the last ping is opened again once.
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
		err := p.conn.Ping(ctx)
		if err == nil || ctx.Err() != nil {
			return p.settle(err)
		}
		_ = p.settle(err)
	}
	var err error
	if p.conn, err = pgx.ConnectConfig(ctx, p.config); err != nil {
		return err
	}
	return p.settle(p.conn.Ping(ctx))
}

// settle gives the connection up when a ping has failed. pgx cleans up in a goroutine, which finds the socket closed.
func (p *probe) settle(err error) error {
	if err != nil {
		_ = p.socket.Close()
		_ = p.conn.Close(context.Background()) // waits for nothing: its socket is closed
		<-p.conn.PgConn().CleanupDone()
		p.conn = nil
	}
	return err
}

// close waits for the ping under way. Cutting its socket ends it.
func (p *probe) close() {
	p.turn <- struct{}{}
	defer func() { <-p.turn }()
	p.closed = true
	if p.conn != nil {
		p.socket.orderly.Store(true)
		_ = p.conn.Close(context.Background()) // a message that the socket takes or not; nothing is waited for
		p.conn = nil
	}
}

// probeSocket leaves nothing behind when it is closed on a server that does not answer: an ordinary close waits for the other side.
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
