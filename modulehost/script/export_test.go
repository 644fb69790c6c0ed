package script

import "io"

// Tell writes to w what the author reads. It is called before the module starts.
func (m *Module) Tell(w io.Writer) { m.output = w }
