package sdktest

import (
	"context"
	"errors"
	"fmt"

	"github.com/narthex-platform/narthex/services/principal"
)

// Named sets the name that Host.People.Names returns for a person. The default is "Person" and a number.
func (c *Caller) Named(name string) *Caller {
	c.module.callers.mu.Lock()
	defer c.module.callers.mu.Unlock()
	c.name = name
	return c
}

// Revoke removes permissions of the caller, as an administrator would. It applies from the next request and
// the next Host.Can.
func (c *Caller) Revoke(permissions ...string) {
	c.module.callers.mu.Lock()
	defer c.module.callers.mu.Unlock()
	for _, permission := range permissions {
		delete(c.held.Granted, permission)
	}
}

// directory provides the names of one test's people.
type directory struct{ *Module }

var errDirectory = errors.New("the directory cannot be read")

// Names leaves out people whom the test has erased.
func (d directory) Names(_ context.Context, userIDs []string) (map[string]string, error) {
	if d.faults.take(&d.faults.names) {
		return nil, errDirectory
	}
	d.callers.mu.Lock()
	defer d.callers.mu.Unlock()
	names := make(map[string]string)
	for _, c := range d.callers.all {
		for _, id := range userIDs {
			if c.ID == id && c.kind == principal.Human && !c.erased {
				if names[id] = c.name; c.name == "" {
					names[id] = fmt.Sprintf("Person %d", c.number)
				}
			}
		}
	}
	return names, nil
}

func (c *callers) erase(userID string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, one := range c.all {
		one.erased = one.erased || one.ID == userID
	}
}
