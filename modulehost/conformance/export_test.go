package conformance

import "github.com/narthex-platform/narthex/modulehost/process"

// Deadlines are the platform's of a process, or shorter ones.
type Deadlines = process.Deadlines

// Within lets a trial wait for a module that misses a deadline for less time than the platform does. It is
// for modules that miss exactly this one: on a busy machine a sound module misses short ones, too.
func (o Options) Within(d Deadlines) Options { o.deadlines = d; return o }

// Calls is how many requests the memory check sends.
func (o Options) Calls(n int) Options { o.calls = n; return o }

// WithoutGates lets every caller in.
func (o Options) WithoutGates() Options { o.fault = everyoneAllowed; return o }

// Touched lets something write into the module's folder.
func (o Options) Touched() Options { o.fault = folderChanged; return o }
