package supervisor

// EndRoot ends suture's root, which otherwise only a fault of suture could do.
func (t *Tree) EndRoot() { t.cancel() }

// HideRootsEnd makes suture's root look as if it never ended.
func (t *Tree) HideRootsEnd() { t.rootEnd = make(chan error) }
