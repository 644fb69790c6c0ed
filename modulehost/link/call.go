package link

import (
	"context"
	"errors"

	"google.golang.org/protobuf/proto"
)

// Call is one call in service. Its handler alone may use it, and only until it returns.
type Call struct {
	Method  Method
	Payload []byte

	server   *server
	services *services
	id       uint32
	payload  *[]byte
	ctx      context.Context
	cancel   context.CancelFunc // nil while parked
	answered bool
	charged  int  // bytes, of Memory
	refused  bool // by Memory: it is not in service

	lent   uint32        // a body socket's descriptor
	waits  chan struct{} // not nil while the handler waits for one; closed when it is lent
	wanted bool
}

var errAnswered = errors.New("the call is answered already")

// Answer answers before the handler returns; what that returns then is dropped. bodyFollows promises a body
// on the call's socket (Lent), and the call stays in service until the handler returns. ErrTooLarge,
// ErrUnencodable: nothing was sent.
func (c *Call) Answer(message proto.Message, follows bool) error {
	if c.answered {
		return errAnswered
	}
	f := frame{kind: kindAnswer, id: c.id}
	if follows {
		f.method = bodyFollows
	}
	err := c.server.wire.send(c.services.ctx, f, message)
	c.answered = err == nil
	return err
}

// Fail is Answer with a failure.
func (c *Call) Fail(failure *Failure) error {
	if c.answered {
		return errAnswered
	}
	c.answered = true
	return c.server.fail(c.services.ctx, c.id, failure)
}

// Want asks for the request's body, which begins to come on the call's socket. Further calls do nothing.
func (c *Call) Want() error {
	if c.wanted {
		return nil
	}
	c.wanted = true
	return c.server.wire.send(c.services.ctx, frame{kind: kindWant, id: c.id}, nil)
}

// Lent waits until the caller has lent a body socket, after an answer whose body follows, and returns its
// descriptor.
func (c *Call) Lent() (uint32, error) {
	c.services.mu.Lock()
	if c.lent != 0 {
		defer c.services.mu.Unlock()
		return c.lent, nil
	}
	waits := make(chan struct{})
	c.waits = waits
	c.services.mu.Unlock()
	select {
	case <-waits:
		return c.lent, nil
	case <-c.ctx.Done():
		return 0, c.ctx.Err()
	}
}

// lend refuses a second socket. An unknown call is one that ended meanwhile.
func (s *services) lend(id, descriptor uint32) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.calls[id]
	switch {
	case c == nil:
		return true
	case c.lent != 0:
		return false
	}
	c.lent = descriptor
	if c.waits != nil {
		close(c.waits)
	}
	return true
}
