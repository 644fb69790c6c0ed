package stream

import "sync/atomic"

// Counts are what the streams of one hub count, over all of its runs.
type Counts struct {
	Readers atomic.Int64 // open streams
	Cut     atomic.Int64 // readers that were disconnected because they were too slow
}
