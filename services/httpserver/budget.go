package httpserver

import (
	"container/list"
	"net"
	"net/netip"
	"os"
	"syscall"
)

// client counts the open connections and streams of one address. IPv6 addresses are counted by /64, the
// network of one customer.
type client struct {
	prefix  netip.Prefix
	open    list.List // of *conn, the oldest first
	streams int
}

// addConnection adds a connection. If there are too many, it closes the oldest idle one. It returns nil if
// there is none to close.
func (a *connections) addConnection(socket net.Conn) *conn {
	prefix, counted := a.clientPrefix(socket.RemoteAddr())
	for {
		c, oldest := a.add(socket, prefix, counted)
		switch {
		case c != nil:
			return c
		case oldest == nil:
			return nil
		case oldest.closeIdle():
			a.logEvent(madeRoomLine)
		}
	}
}

// add returns the new connection, or if there is no room the oldest idle connection, which the caller should
// close.
func (a *connections) add(socket net.Conn, prefix netip.Prefix, counted bool) (c, oldest *conn) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var from *client
	if counted {
		if from = a.clients[prefix]; from == nil {
			from = &client{prefix: prefix}
		}
		if from.open.Len() >= a.limits.perClient {
			return nil, oldestIdle(&from.open)
		}
	}
	if a.open.Len() >= a.limits.all {
		return nil, oldestIdle(a.open)
	}
	c = newConn(socket, a)
	a.unfinished++
	c.places[0] = a.open.PushBack(c)
	if counted {
		c.client = from
		c.places[1] = from.open.PushBack(c)
		a.clients[prefix] = from
	}
	return c, nil
}

// oldestIdle returns the oldest connection without a request in progress. A connection with an incomplete
// head counts as idle, because sending a part of a head costs a client nothing.
func oldestIdle(conns *list.List) *conn {
	for e := conns.Front(); e != nil; e = e.Next() {
		if c := e.Value.(*conn); !c.phase().busy() {
			return c
		}
	}
	return nil
}

// release removes a closed connection from the lists, so that its place is free.
func (a *connections) release(c *conn) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.open.Remove(c.places[0])
	if c.client == nil {
		return
	}
	a.removeStream(c)
	c.client.open.Remove(c.places[1])
	if c.client.open.Len() == 0 {
		delete(a.clients, c.client.prefix)
	}
}

// beginStream counts a stream. It returns false if the client already has the maximum number of streams.
func (a *connections) beginStream(c *conn) bool {
	if c.client == nil || c.stream {
		return true
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if c.client.streams >= a.limits.streams {
		a.logEvent(noStreamLine)
		return false
	}
	c.stream = true
	c.client.streams++
	return true
}

func (a *connections) endStream(c *conn) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.removeStream(c)
}

func (a *connections) removeStream(c *conn) {
	if c.stream {
		c.stream = false
		c.client.streams--
	}
}

// clientPrefix returns the prefix under which a peer's connections are counted. Connections from this machine
// and from trusted proxies belong to many clients and are not counted.
func (a *connections) clientPrefix(remote net.Addr) (prefix netip.Prefix, counted bool) {
	peer, ok := remote.(*net.TCPAddr)
	if !ok {
		return netip.Prefix{}, false
	}
	address := peer.AddrPort().Addr().Unmap().WithZone("")
	if !address.IsValid() || address.IsLoopback() || a.proxy != nil && a.proxy(address) {
		return netip.Prefix{}, false
	}
	bits := 64
	if address.Is4() {
		bits = 32
	}
	prefix, err := address.Prefix(bits)
	return prefix, err == nil
}

// reservedDescriptors is the maximum number of descriptors that are reserved for other uses: the database
// pool, restarted modules, files.
const reservedDescriptors = 1 << 10

// affordableConnections is how many connections the process's descriptors allow, at most all.
func affordableConnections(all int) int {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return all
	}
	open, _ := os.ReadDir("/dev/fd")
	free := int(min(limit.Cur, 1<<20)) - len(open)
	return max(1, min(all, free-min(free/4, reservedDescriptors)))
}
