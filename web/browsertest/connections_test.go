package browsertest

import (
	"net"
	"net/http"
	"sync"
)

// connections are the open connections of a server.
type connections struct {
	mu  sync.Mutex
	all map[net.Conn]bool
}

func (c *connections) note(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch state {
	case http.StateNew:
		c.all[conn] = true
	case http.StateClosed, http.StateHijacked:
		delete(c.all, conn)
	}
}

// cut closes all of them.
func (c *connections) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for conn := range c.all {
		_ = conn.Close()
	}
}
