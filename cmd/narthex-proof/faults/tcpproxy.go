package main

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// way is how a tcpProxy treats connections.
type way int

const (
	passes   way = iota
	refuses      // nothing listens
	resets       // connections are accepted and reset, also open ones
	silent       // half-open: connections are accepted and stay open, but no byte passes, also on open ones
	trickles     // one byte at a time towards the client, 10 a second unless slowness sets another interval
	garbles      // the client gets nonsense in place of each response
)

// tcpProxy is between the platform and another server, and can simulate faults.
type tcpProxy struct {
	address, target string
	slowness        atomic.Int64 // time.Duration between two bytes when it trickles
	trickled        atomic.Int64 // bytes that trickled

	mu       sync.Mutex
	way      way
	changed  chan struct{} // closed at the next change
	listener net.Listener
	open     map[net.Conn]bool
	serving  sync.WaitGroup
	closed   bool
}

func newTCPProxy(target string) (*tcpProxy, error) {
	p := &tcpProxy{target: target, open: make(map[net.Conn]bool), changed: make(chan struct{})}
	p.slowness.Store(int64(100 * time.Millisecond))
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p.address = listener.Addr().String()
	p.listen(listener)
	return p, nil
}

// listen accepts connections until the listener is closed. The caller must hold mu, unless no other goroutine
// has p yet.
func (p *tcpProxy) listen(listener net.Listener) {
	p.listener = listener
	p.serving.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			p.serving.Go(func() { p.serve(conn) })
		}
	})
}

// set changes how all connections are treated, also open ones.
func (p *tcpProxy) set(how way) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	was := p.way
	p.way = how
	close(p.changed)
	p.changed = make(chan struct{})
	if how == refuses || how == resets {
		for conn := range p.open {
			reset(conn)
		}
	}
	if how == refuses && was != refuses {
		_ = p.listener.Close()
	}
	if how != refuses && was == refuses {
		listener, err := net.Listen("tcp4", p.address)
		if err != nil {
			return err
		}
		p.listen(listener)
	}
	return nil
}

// reset closes a connection with a reset instead of a FIN.
func reset(conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

func (p *tcpProxy) close() {
	p.mu.Lock()
	p.closed = true
	close(p.changed)
	p.changed = make(chan struct{})
	_ = p.listener.Close()
	for conn := range p.open {
		_ = conn.Close()
	}
	p.mu.Unlock()
	p.serving.Wait()
}

// now returns the current way, and a channel that is closed at the next change.
func (p *tcpProxy) now() (how way, changed <-chan struct{}, closed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.way, p.changed, p.closed
}

func (p *tcpProxy) note(conn net.Conn, open bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if open && !p.closed {
		p.open[conn] = true
		return
	}
	delete(p.open, conn)
	_ = conn.Close()
}

func (p *tcpProxy) serve(client net.Conn) {
	p.note(client, true)
	defer p.note(client, false)
	for how, changed, closed := p.now(); how == silent || how == resets; how, changed, closed = p.now() {
		if closed {
			return
		}
		if how == resets {
			reset(client)
			return
		}
		<-changed
	}
	upstream, err := net.DialTimeout("tcp4", p.target, 10*time.Second)
	if err != nil {
		reset(client)
		return
	}
	p.note(upstream, true)
	defer p.note(upstream, false)
	var both sync.WaitGroup
	both.Go(func() { p.pass(client, upstream, false) })
	both.Go(func() { p.pass(upstream, client, true) })
	both.Wait()
}

// pass copies one direction until its end, in the current way.
func (p *tcpProxy) pass(from, to net.Conn, towardsClient bool) {
	defer func() { _ = from.Close(); _ = to.Close() }()
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if n == 0 && err != nil {
			return
		}
		how, changed, closed := p.now()
		for how == silent && !closed {
			<-changed
			how, changed, closed = p.now()
		}
		if err := p.write(to, buffer[:n], how, towardsClient); err != nil {
			return
		}
	}
}

func (p *tcpProxy) write(to net.Conn, content []byte, how way, towardsClient bool) error {
	switch {
	case how == garbles && towardsClient:
		_, err := io.WriteString(to, "\x00\xffnonsense nonsense nonsense\r\n\r\n")
		return err
	case how == trickles && towardsClient:
		for n := range content {
			if _, err := to.Write(content[n : n+1]); err != nil {
				return err
			}
			p.trickled.Add(1)
			if now, changed, _ := p.now(); now == trickles {
				select {
				case <-changed:
				case <-time.After(time.Duration(p.slowness.Load())):
				}
			}
		}
		return nil
	}
	_, err := to.Write(content)
	return err
}
