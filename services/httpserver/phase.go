package httpserver

import "slices"

// phase is where a connection is: in a request, or at its end. It changes only by conn.move.
type phase uint32

const (
	phaseIdle       phase = iota // no byte of a request has arrived
	phaseHead                    // a part of a head has arrived
	phaseReceived                // the head is complete, and its handler not admitted yet
	phaseHandling                // the handler is admitted; the body may still arrive
	phaseResponding              // a byte of the final response was written
	phaseLent                    // a stream writes to the socket without net/http, and ends it (lent.go)
	phaseLingering               // nothing more is written; the peer has time to read what was
	phaseDraining                // nothing more is written; the peer has not acknowledged all of it
	phaseClosed                  // the socket is closed
)

// moves has for each phase those that may follow. A connection may end in any phase.
var moves = [...][]phase{
	phaseIdle:       {phaseHead, phaseReceived, phaseLingering, phaseDraining, phaseClosed},
	phaseHead:       {phaseReceived, phaseLingering, phaseDraining, phaseClosed},
	phaseReceived:   {phaseHandling, phaseLingering, phaseDraining, phaseClosed},
	phaseHandling:   {phaseResponding, phaseLent, phaseLingering, phaseDraining, phaseClosed},
	phaseResponding: {phaseIdle, phaseHead, phaseLingering, phaseDraining, phaseClosed},
	phaseLent:       {phaseLingering, phaseDraining, phaseClosed},
	phaseLingering:  {phaseDraining, phaseClosed},
	phaseDraining:   {phaseClosed},
	phaseClosed:     {},
}

// busy reports whether a request is in progress: from its complete head until the peer has its response, as
// far as this package knows.
func (p phase) busy() bool { return phaseReceived <= p && p <= phaseLent || p == phaseDraining }

// over reports whether nothing more is written.
func (p phase) over() bool { return p >= phaseLingering }

// phase returns where the connection is. Without the lock it may be another one at once.
func (c *conn) phase() phase { return phase(c.at.Load()) }

// move must be called with the lock held. A move that is not in the table is a fault of this package; it is
// logged, and the connection goes on.
func (c *conn) move(to phase) {
	if !slices.Contains(moves[c.phase()], to) {
		c.all.logEvent(brokenLine)
	}
	c.at.Store(uint32(to))
}
