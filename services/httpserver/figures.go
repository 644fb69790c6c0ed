package httpserver

// Figures are the present numbers of connections.
type Figures struct {
	Open    int // including those that are being closed
	Idle    int // of the open ones, without a request in progress
	Streams int // of the open ones, with a stream as response
}

// Figures counts the connections by visiting each of them. All figures are zero before the listener serves.
func (l *Listener) Figures() (f Figures) {
	select {
	case <-l.ready:
	default:
		return Figures{}
	}
	for _, c := range l.all.list() {
		f.Open++
		busy, streaming := c.occupied()
		if !busy {
			f.Idle++
		}
		if streaming {
			f.Streams++
		}
	}
	return f
}

// hasFaulted reports whether the client got a fault's response, so that its request is already counted.
func (c *conn) hasFaulted() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.faulted
}

func (c *conn) occupied() (busy, streaming bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.phase().busy(), c.streaming
}
