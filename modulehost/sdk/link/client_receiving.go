package link

import (
	"google.golang.org/protobuf/proto"
)

// receive returns an error if the frame violates the protocol, which loses the link.
func (c *Client) receive(f frame) error {
	switch f.kind {
	case kindResponse, kindFailure, kindPong:
	case kindWant:
		return c.want(f)
	default:
		return errFrameKind
	}
	w, fits := c.claim(f)
	if w == nil {
		return errNeverAsked
	}
	if w.abandoned {
		return nil
	}
	if f.kind == kindResponse && f.method == bodyFollows {
		if w.exchange == nil {
			w.result <- lost(errNeverAsked)
			return errNeverAsked
		}
		w.exchange.follows = true
	}
	if !fits {
		w.result <- ErrOverloaded
		return nil
	}
	result, err := decode(f, w.response)
	if err != nil {
		result = lost(err)
	}
	w.result <- result
	return err
}

// want notifies an exchange that the handler begins to read the request's body. A peer may send this frame
// once for a call, and only for one with a streamed body.
func (c *Client) want(f frame) error {
	if len(f.payload) > 0 {
		return errFrameBody
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.pending[f.id]
	if w == nil || w.exchange == nil || w.exchange.wanted == nil || w.exchange.responded {
		return errNeverAsked
	}
	select {
	case w.exchange.wanted <- struct{}{}:
		return nil
	default:
		return errNeverAsked
	}
}

// decode runs in the reader and uses its buffer, so that a response is copied only once. The caller still
// exists: after its waiter was claimed, it waits for the result.
func decode(f frame, response proto.Message) (result, broken error) {
	switch {
	case f.kind == kindPong:
		if len(f.payload) > 0 {
			return nil, errFrameBody
		}
	case f.kind == kindFailure:
		failure, ok := parseFailure(f.payload)
		if !ok {
			return nil, errNotDecoded
		}
		return failure, nil
	case response != nil:
		if proto.Unmarshal(f.payload, response) != nil {
			return nil, errNotDecoded
		}
	}
	return nil, nil
}
