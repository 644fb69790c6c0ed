package link

import (
	"google.golang.org/protobuf/proto"
)

// receive returns an error when the frame loses the link.
func (c *Client) receive(f frame) error {
	switch f.kind {
	case kindAnswer, kindFailure, kindPong:
	case kindWant:
		return c.want(f)
	default:
		return errFrameKind
	}
	w := c.claim(f.id, f.kind == kindPong)
	if w == nil {
		return errNeverAsked
	}
	if w.abandoned {
		return nil
	}
	if f.kind == kindAnswer && f.method == bodyFollows {
		if w.exchange == nil {
			w.answered <- lost(errNeverAsked)
			return errNeverAsked
		}
		w.exchange.follows = true
	}
	if c.memory != (unlimited{}) && !c.charge(w, decodedBytes(f.payload)) {
		w.answered <- ErrOverloaded
		return nil
	}
	answer, err := decode(f, w.response)
	if err != nil {
		answer = lost(err)
	}
	w.answered <- answer
	return err
}

// want tells an exchange that its request's body is read now. Once, and only where there is one.
func (c *Client) want(f frame) error {
	if len(f.payload) > 0 {
		return errFrameBody
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.pending[f.id]
	if w == nil || w.exchange == nil || w.exchange.wanted == nil || w.exchange.answered {
		return errNeverAsked
	}
	select {
	case w.exchange.wanted <- struct{}{}:
		return nil
	default:
		return errNeverAsked
	}
}

// decode runs in the reader, straight from its buffer, so that an answer is copied once. The caller cannot
// have left: it waits for whoever claimed it.
func decode(f frame, response proto.Message) (answer, broken error) {
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
