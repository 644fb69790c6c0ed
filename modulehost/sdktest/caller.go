package sdktest

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync"

	"github.com/narthex-platform/narthex/modulehost/manifest"
	"github.com/narthex-platform/narthex/services/authorization"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/principal"
)

// Caller sends requests to the module as one person, screen or stranger. Safe for concurrent use.
type Caller struct {
	// ID is the UserID, DeviceID or LinkID of the caller in sdk.Principal; "" for a visitor.
	ID string

	module  *Module
	kind    principal.Kind
	held    authorization.Holdings
	number  int
	name    string
	subject string // of a link
	erased  bool
}

// Person returns a new signed-in person with these permissions and, as for every signed-in person, those
// whose baseline is authenticated.
func (m *Module) Person(permissions ...string) *Caller {
	m.tb.Helper()
	return m.caller("person", principal.Human, permissions)
}

// Owner returns a new owner of the platform, who has every permission.
func (m *Module) Owner() *Caller {
	m.tb.Helper()
	owner := m.caller("owner", principal.Human, nil)
	owner.held.Owner = true
	return owner
}

// Device returns a new paired screen with only these permissions.
func (m *Module) Device(permissions ...string) *Caller {
	m.tb.Helper()
	return m.caller("device", principal.Device, permissions)
}

// Link returns somebody without an account who has a link with this subject. It fails the test if the
// manifest has no entrypoints.link.
func (m *Module) Link(subject string) *Caller {
	m.tb.Helper()
	if m.manifest.Link == nil {
		m.tb.Fatal("sdktest: the manifest has no entrypoints.link")
	}
	c := m.caller("link", principal.Link, []string{m.manifest.Link.Permission})
	c.subject = subject
	return c
}

// Visitor returns an anonymous caller, who may use no route of a module.
func (m *Module) Visitor() *Caller {
	m.tb.Helper()
	visitor := m.caller("", principal.Anonymous, nil)
	visitor.ID = ""
	return visitor
}

func (m *Module) caller(name string, kind principal.Kind, permissions []string) *Caller {
	m.tb.Helper()
	granted := make(map[string]struct{})
	for _, permission := range permissions {
		if baseline(m.manifest, permission) == authorization.Undeclared {
			m.tb.Fatalf("sdktest: the manifest does not declare the permission %s", permission)
		}
		granted[permission] = struct{}{}
	}
	c := &Caller{module: m, kind: kind, held: authorization.Holdings{Granted: granted}}
	m.callers.add(c)
	c.ID = fmt.Sprintf("%s-%d", name, c.number)
	return c
}

func baseline(m *manifest.Manifest, permission string) authorization.Baseline {
	for _, p := range m.Permissions {
		switch {
		case p.ID != permission:
		case p.Baseline == manifest.BaselineAuthenticated:
			return authorization.Authenticated
		default:
			return authorization.Restricted
		}
	}
	return authorization.Undeclared
}

// callers holds all callers of one test, by number.
type callers struct {
	mu  sync.Mutex
	all []*Caller
}

// callerHeader identifies the sender of a request, in place of a cookie. The module does not receive it.
const callerHeader = "Sdktest-Caller"

func (c *callers) add(caller *Caller) {
	c.mu.Lock()
	defer c.mu.Unlock()
	caller.number = len(c.all)
	c.all = append(c.all, caller)
}

func (c *callers) numbered(number int) *Caller {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.all[number]
}

// requestGates provides what the platform's pipeline needs to know about callers.
type requestGates struct{ *Module }

// Resolve returns the principal of a request's caller. Its id is the caller's number, which Caller looks up.
func (g requestGates) Resolve(_ context.Context, r *http.Request) (principal.Principal, error) {
	number, err := strconv.Atoi(r.Header.Get(callerHeader))
	if err != nil {
		return principal.Principal{}, nil
	}
	return g.callers.numbered(number).principal(), nil
}

// Caller returns the caller of a principal.
func (g requestGates) Caller(p principal.Principal) httpapi.Caller {
	g.callers.mu.Lock()
	defer g.callers.mu.Unlock()
	for _, c := range g.callers.all {
		if c.principal() == p {
			return authorizedCaller{c}
		}
	}
	return authorizedCaller{&Caller{module: g.Module}}
}

// Stamp accepts every client address.
func (requestGates) Stamp(*http.Request) error { return nil }

func (c *Caller) principal() principal.Principal {
	switch c.kind {
	case principal.Human:
		return principal.Person(c.ID)
	case principal.Device:
		return principal.Principal{Kind: principal.Device, DeviceID: c.ID}
	case principal.Link:
		return principal.Principal{Kind: principal.Link, LinkID: c.ID, Subject: c.subject}
	}
	return principal.Principal{}
}

// authorizedCaller applies the platform's own authorization rule to a caller.
type authorizedCaller struct{ caller *Caller }

// Principal identifies the caller.
func (j authorizedCaller) Principal() principal.Principal { return j.caller.principal() }

// Allowed never returns an error, because it reads no store.
func (j authorizedCaller) Allowed(_ context.Context, permission string) (bool, error) {
	j.caller.module.callers.mu.Lock()
	defer j.caller.module.callers.mu.Unlock()
	return authorization.Evaluate(j.caller.kind, baseline(j.caller.module.manifest, permission), permission,
		j.caller.held) == authorization.Allowed, nil
}
