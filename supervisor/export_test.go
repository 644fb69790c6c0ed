package supervisor

// EndRoot ends suture's root as only a fault of suture could.
func (t *Tree) EndRoot() { t.cancel() }
