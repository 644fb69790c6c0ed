package cluster

import "context"

// Found is the folder of the programs that Start would run.
func Found(ctx context.Context, tools string) (string, error) {
	account, err := unprivileged()
	if err != nil {
		return "", err
	}
	found, err := find(ctx, tools, account)
	return found.dir, err
}

// PID is the postmaster's process.
func (c *Cluster) PID() int { return c.server.pid }

// Home is where the files really are.
func (c *Cluster) Home() string { return c.home.dir }
