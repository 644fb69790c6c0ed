// Package cluster runs a private PostgreSQL cluster. It finds the server's programs, creates the data once,
// runs the server as a child process and stops it. It serves tests and the development command; production
// has a server of its own.
package cluster

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// superuser is the role that initdb creates.
const superuser = "narthex"

const (
	startDeadline = 60 * time.Second // for initdb and the first response; a loaded machine needs a few seconds
	fastStop      = 10 * time.Second // after SIGINT: sessions are ended, a checkpoint is written
	hardStop      = 5 * time.Second  // after SIGQUIT: children are dropped, the next start recovers
	startAttempts = 5                // a free port may be taken between asking for it and using it
)

// Options configures a cluster.
type Options struct {
	// Dir is the cluster's own folder; Start creates it if it is missing. It contains the data, password and
	// log. One process at a time may use it.
	Dir string
	// Tools is a folder that may hold a fetched copy of the server as <Tools>/postgresql; "" means none.
	Tools string
	// FsyncOff trades durability for speed. For tests: a crash of the machine loses the data.
	FsyncOff bool
	// Port is the TCP port of the server; 0 means any free port. Set it to start a server again on the same
	// port.
	Port int
	// Replicated lets the cluster have standbys.
	Replicated bool
	// Primary makes the cluster a standby of another one: a copy that follows it and accepts no writes until
	// it is promoted. The copy is made by the first Start. It may itself have standbys.
	Primary *Cluster
}

// Cluster is a running server on 127.0.0.1, which only this machine reaches.
type Cluster struct {
	home     home
	password string
	port     int
	server   *server
	stopOnce sync.Once
	stopErr  error
}

// Start creates the data if there is none, runs the server and returns when it accepts sessions. The server
// ends with Stop, and also when this process dies. Errors: ErrNotFound, ErrInUse, ErrDirectory,
// ErrRights, ErrStart. It takes at most a minute.
func Start(ctx context.Context, options Options) (*Cluster, error) {
	ctx, cancel := context.WithTimeout(ctx, startDeadline)
	defer cancel()
	account, err := unprivileged()
	if err != nil {
		return nil, fail(ErrStart, err)
	}
	if err := account.check(); err != nil {
		return nil, err
	}
	programs, err := find(ctx, options.Tools, account)
	if err != nil {
		return nil, err
	}
	home, err := openHome(options.Dir, account)
	if err != nil {
		return nil, err
	}
	c := &Cluster{home: home}
	if err := c.start(ctx, programs, options); err != nil {
		home.close()
		return nil, err
	}
	return c, nil
}

func (c *Cluster) start(ctx context.Context, programs programs, options Options) (err error) {
	if c.password, err = c.home.initialise(ctx, programs, options.Primary); err != nil {
		return c.notStarted(err)
	}
	if err := c.home.removeStalePID(ctx); err != nil {
		return fail(ErrStart, err)
	}
	for range startAttempts {
		if c.port = options.Port; c.port == 0 {
			if c.port, err = freePort(); err != nil {
				return fail(ErrStart, err)
			}
		}
		if c.server, err = launch(c.home, programs, arguments(c.home, c.port, options)); err != nil {
			return fail(ErrStart, err)
		}
		if err = c.awaitReady(ctx); err == nil {
			return nil
		}
		_ = c.server.stop()
		if ctx.Err() != nil {
			break
		}
	}
	return c.notStarted(err)
}

// notStarted returns ErrStart, with the place of the log if a program of the server has written one.
func (c *Cluster) notStarted(err error) error {
	if log := c.home.logTail(); log != "" {
		return because(ErrStart, fmt.Errorf("%w; the log ends with:\n%s", err, log),
			"The file log in its directory says why.")
	}
	return fail(ErrStart, err)
}

// URL returns the URL of a database of the cluster, with the superuser's name and password.
func (c *Cluster) URL(database string) string {
	address := url.URL{
		Scheme: "postgres",
		User:   url.UserPassword(superuser, c.password),
		Host:   "127.0.0.1:" + strconv.Itoa(c.port),
		Path:   "/" + database,
	}
	return address.String()
}

// Stop ends all sessions and the server and waits for its end, at most about 20 s. Stop may be called twice.
// The data remain.
func (c *Cluster) Stop() error {
	c.stopOnce.Do(func() {
		c.stopErr = c.server.stop()
		c.home.close()
	})
	return c.stopErr
}

// Kill ends the server like a crash, without an orderly shutdown. Stop must still be called.
func (c *Cluster) Kill() error {
	if err := syscall.Kill(c.server.pid, syscall.SIGKILL); err != nil {
		return fail(ErrStop, err)
	}
	<-c.server.ended
	return nil
}

// PID returns the process id of the postmaster.
func (c *Cluster) PID() int { return c.server.pid }

// Ended is closed when the server's process has ended, for whatever reason.
func (c *Cluster) Ended() <-chan struct{} { return c.server.ended }

// Remove stops the cluster and deletes its folder.
func (c *Cluster) Remove() error {
	err := c.Stop()
	if removeErr := os.RemoveAll(c.home.dir); err == nil {
		err = removeErr
	}
	if c.home.link != "" {
		_ = os.Remove(c.home.link)
	}
	return err
}
