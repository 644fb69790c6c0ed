package cluster

// Home returns the folder in which the files really are.
func (c *Cluster) Home() string { return c.home.dir }
