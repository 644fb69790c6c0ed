package conformance

import "github.com/narthex-platform/narthex/modulehost/process"

// Deadlines are the deadlines of a process.
type Deadlines = process.Deadlines

// Within shortens a deadline of the platform for a module that misses exactly this one. For other modules it
// must not be used, because on a busy machine a correct module also misses short deadlines.
func (o Options) Within(d Deadlines) Options { o.deadlines = d; return o }

// Calls sets how many requests the memory check sends.
func (o Options) Calls(n int) Options { o.calls = n; return o }

// WithoutGates makes the gates allow every caller.
func (o Options) WithoutGates() Options { o.fault = everyoneAllowed; return o }

// Touched makes the trial change a file in the module's folder.
func (o Options) Touched() Options { o.fault = folderChanged; return o }

// LengthsFor returns the lengths of the bodies that are sent to a route with this limit: with a
// Content-Length, and in chunks.
func LengthsFor(limit int64) (whole, chunked []int64) {
	for _, b := range bodiesOf(limit) {
		if b.chunked {
			chunked = append(chunked, b.bytes)
		} else {
			whole = append(whole, b.bytes)
		}
	}
	return whole, chunked
}
