package link

import (
	"context"
	"errors"

	"google.golang.org/protobuf/proto"
)

// Call is one call in service. Only its handler may use it, and only until the handler returns.
type Call struct {
	Method  Method
	Payload []byte

	server     *server
	dispatcher *dispatcher
	id         uint32
	payload    *[]byte
	ctx        context.Context
	cancel     context.CancelFunc // nil while parked
	responded  bool
	held       held
	refused    bool // Memory has refused it, so it is not served

	socket      uint32        // a body socket's descriptor
	socketReady chan struct{} // not nil while the handler waits for a socket; closed when it is lent
	wanted      bool
}

var errResponded = errors.New("the call is answered already")

// Respond sends the response before the handler returns; the handler's own result is then dropped. follows
// announces a body on the call's socket (AwaitSocket); then the call stays in service until the handler
// returns. After ErrTooLarge and ErrUnencodable nothing was sent.
func (c *Call) Respond(message proto.Message, follows bool) error {
	if c.responded {
		return errResponded
	}
	f := frame{kind: kindResponse, id: c.id}
	if follows {
		f.method = bodyFollows
	}
	err := c.server.wire.send(c.dispatcher.ctx, f, message)
	c.responded = err == nil
	return err
}

// Fail is Respond with a failure as the response.
func (c *Call) Fail(failure *Failure) error {
	if c.responded {
		return errResponded
	}
	c.responded = true
	return c.server.fail(c.dispatcher.ctx, c.id, failure)
}

// Want requests the request's body, which is then sent on the call's socket. Further calls do nothing.
func (c *Call) Want() error {
	if c.wanted {
		return nil
	}
	c.wanted = true
	return c.server.wire.send(c.dispatcher.ctx, frame{kind: kindWant, id: c.id}, nil)
}

// AwaitSocket waits until the caller has lent a body socket, after a response whose body follows, and returns
// the socket's descriptor.
func (c *Call) AwaitSocket() (uint32, error) {
	c.dispatcher.mu.Lock()
	if c.socket != 0 {
		defer c.dispatcher.mu.Unlock()
		return c.socket, nil
	}
	waits := make(chan struct{})
	c.socketReady = waits
	c.dispatcher.mu.Unlock()
	select {
	case <-waits:
		return c.socket, nil
	case <-c.ctx.Done():
		return 0, c.ctx.Err()
	}
}

// attachSocket stores the socket that the caller has lent to a call. It returns false for a second one. An
// unknown call has ended meanwhile.
func (s *dispatcher) attachSocket(id, descriptor uint32) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.calls[id]
	switch {
	case c == nil:
		return true
	case c.socket != 0:
		return false
	}
	c.socket = descriptor
	if c.socketReady != nil {
		close(c.socketReady)
	}
	return true
}
