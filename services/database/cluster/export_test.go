package cluster

// PID is the postmaster's process.
func (c *Cluster) PID() int { return c.server.pid }

// Home is where the files really are.
func (c *Cluster) Home() string { return c.home.dir }
