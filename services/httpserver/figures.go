package httpserver

// Figures are how many connections there are at this moment.
type Figures struct {
	Open    int // with those that wait for their end
	Idle    int // of these, without a request under way
	Streams int // of these, with a response that has no end
}

// Figures counts the connections: all zero before the listener serves. It visits each of them.
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

// hasFaulted tells that the client got a fault's response, so that its request is counted already.
func (c *conn) hasFaulted() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.faulted
}

func (c *conn) occupied() (busy, streaming bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.busy.Load(), c.streaming
}
