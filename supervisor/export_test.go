package supervisor

// EndRoot ends suture's root as only a fault of suture could.
func (t *Tree) EndRoot() { t.cancel() }

// HideRootsEnd makes suture's root look as if it never ended.
func (t *Tree) HideRootsEnd() { t.rootEnd = make(chan error) }
