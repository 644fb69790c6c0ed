package gateway

import "time"

// limits are those of one module (docs/reference/modules.md).
type limits struct {
	response time.Duration // from the end of the request's body to the response's head
	piece    time.Duration // between two pieces of a longer response
	queue    time.Duration // for a call to wait for its turn
	inFlight int
	waiting  int
}

func defaultLimits() limits {
	return limits{
		response: 30 * time.Second,
		piece:    30 * time.Second,
		queue:    5 * time.Second,
		inFlight: 256,
		waiting:  1024,
	}
}
