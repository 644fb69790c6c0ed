package database

import (
	"context"
	"net"
	"sync"
)

// sockets knows every open connection, so that stopping can end those that nobody gives back.
type sockets struct {
	mu   sync.Mutex
	open map[*socket]struct{}
}

func newSockets() *sockets { return &sockets{open: make(map[*socket]struct{})} }

// watch returns a dial function whose connections are known.
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

// cut closes all of them under their users' hands.
func (s *sockets) cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for socket := range s.open {
		_ = socket.Conn.Close()
	}
}

// socket is a connection with something to do when it closes.
type socket struct {
	net.Conn
	forget func()
}

func (s *socket) Close() error {
	s.forget()
	return s.Conn.Close()
}
