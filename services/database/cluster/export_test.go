package cluster

// Home is where the files really are.
func (c *Cluster) Home() string { return c.home.dir }
