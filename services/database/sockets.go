package database

import (
	"context"
	"net"
	"sync"
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

func (s *socket) Close() error {
	s.forget()
	return s.Conn.Close()
}
