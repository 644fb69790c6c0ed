package database

import (
	"context"
	"io"
	"net"
	"sync"
	"time"
)

// sockets holds every open connection, so that a stop can close those that are not released.
type sockets struct {
	mu   sync.Mutex
	open map[*socket]struct{}
}

func newSockets() *sockets { return &sockets{open: make(map[*socket]struct{})} }

// watch returns a dial function that records its connections.
func (s *sockets) watch(dial dialFunc) dialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		known := &socket{Conn: conn}
		known.forget = sync.OnceFunc(func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			delete(s.open, known)
		})
		s.mu.Lock()
		defer s.mu.Unlock()
		s.open[known] = struct{}{}
		return known, nil
	}
}

// cut closes all sockets, also those in use.
func (s *sockets) cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for socket := range s.open {
		_ = socket.Conn.Close()
	}
}

// socket is a recorded connection. forget removes the record.
type socket struct {
	net.Conn
	forget func()
}

// endWithin is how long a server may take to end a session.
const endWithin = 2 * time.Second

// Close returns when the server has ended the session, or after 2 s: until then it counts the session,
// and a pool that opened another one at once would exceed its limit.
func (s *socket) Close() error {
	s.forget()
	if half, ok := s.Conn.(interface{ CloseWrite() error }); ok && half.CloseWrite() == nil &&
		s.Conn.SetReadDeadline(time.Now().Add(endWithin)) == nil {
		_, _ = io.Copy(io.Discard, s.Conn)
	}
	return s.Conn.Close()
}
