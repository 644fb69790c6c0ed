package e2e

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/anishathalye/porcupine"

	"github.com/narthex-platform/narthex/services/randomtest"
)

// grantsHistory: who holds which permission. Several clients issue and revoke the same grants.
type grantsHistory struct {
	history
	c       *processes
	holders []*person
	ids     []string // of the holders

	mu   sync.Mutex
	last map[string]string // register → the id of a grant of it
}

// The permissions, each with a route that requires it.
var grantsPermissions = [2]struct{ id, route string }{
	{"core.modules.lifecycle.manage", "/api/v1/module-lifecycle"}, {"core.devices.manage", "/api/v1/devices"},
}

type grantsInput struct {
	verb     string // issue, revoke, list or use
	register string
}

type grantsOutput struct {
	answer string
	id     string // of the grant that was issued, revoked or listed; "": none
}

// grantsState is whether one person holds one permission.
type grantsState struct {
	known bool
	id    string // of the effective grant; "": none; "?": no client received its id
}

func (s grantsState) is(id string) bool { return s.id == id || s.id == "?" && id != "" }

func newGrants(c *processes) *grantsHistory {
	g := &grantsHistory{c: c, last: make(map[string]string)}
	for n := range 2 {
		holder := c.newMember(c.t, fmt.Sprintf("holder%d@example.org", n))
		g.holders, g.ids = append(g.holders, holder), append(g.ids, holder.userID(c.t))
	}
	return g
}

func (g *grantsHistory) model() porcupine.Model {
	return sequential(func(in grantsInput) string { return in.register }, grantsStep)
}

func grantsStep(now grantsState, in grantsInput, out *grantsOutput) (bool, grantsState) {
	held := now.id != ""
	switch {
	case !now.known && in.verb != "list":
		return true, now
	case out == nil && in.verb == "issue" && !held:
		return true, grantsState{true, "?"}
	case out == nil && in.verb == "revoke":
		return true, grantsState{true, ""}
	case out == nil:
		return true, now
	case in.verb == "list":
		return !now.known || now.is(out.id), grantsState{true, out.id}
	case in.verb == "use":
		return out.answer == "200" && held || out.answer == "403 PERMISSION_DENIED" && !held, now
	case in.verb == "issue" && held:
		return out.answer == "409 AUTHORIZATION_GRANT_ALREADY_EXISTS", now
	case in.verb == "issue":
		return out.answer == "201", grantsState{true, out.id}
	default: // revoke
		return out.answer == "200" && now.is(out.id), grantsState{true, ""}
	}
}

func (g *grantsHistory) begin(*testing.T) { g.read(0) }

func (g *grantsHistory) read(client int) {
	random := randomtest.New(0, 0)
	for holder := range g.holders {
		for permission := range grantsPermissions {
			g.list(client, random, holder, permission)
		}
	}
}

func (g *grantsHistory) act(client int, random *rand.Rand) {
	holder, permission := random.IntN(len(g.holders)), random.IntN(len(grantsPermissions))
	switch n := random.IntN(10); {
	case n < 3:
		g.issue(client, random, holder, permission)
	case n < 6:
		g.revoke(client, random, holder, permission)
	case n < 8:
		g.list(client, random, holder, permission)
	default:
		observeRead(&g.history, client, grantsInput{"use", g.register(holder, permission)},
			func() (grantsOutput, outcome) {
				got, known := g.c.ask(random, g.holders[holder].cookie, "GET", grantsPermissions[permission].route, nil)
				return grantsOutput{answer: codeOf(got)}, known
			})
	}
}

func (g *grantsHistory) register(holder, permission int) string {
	return fmt.Sprint(holder, "/", permission)
}

func (g *grantsHistory) issue(client int, random *rand.Rand, holder, permission int) {
	register := g.register(holder, permission)
	out, _ := observe(&g.history, client, grantsInput{"issue", register}, func() (grantsOutput, outcome) {
		got, known := g.c.ask(random, g.c.admin.cookie, "POST", "/api/v1/grants",
			map[string]string{"userId": g.ids[holder], "permissionId": grantsPermissions[permission].id})
		out := grantsOutput{answer: codeOf(got)}
		if known == answered && got.status == http.StatusCreated {
			out.id = decoded[struct{ ID string }](g.c.t, got).ID
		}
		return out, known
	})
	g.note(register, out.id)
}

// revoke revokes the grant that a client last saw. It may have ended long ago, but revoking also ends every
// equivalent grant.
func (g *grantsHistory) revoke(client int, random *rand.Rand, holder, permission int) {
	register := g.register(holder, permission)
	g.mu.Lock()
	id := g.last[register]
	g.mu.Unlock()
	if id == "" {
		return
	}
	observe(&g.history, client, grantsInput{"revoke", register}, func() (grantsOutput, outcome) {
		got, known := g.c.ask(random, g.c.admin.cookie, "POST", "/api/v1/grants/"+id+"/revoke", struct{}{})
		out := grantsOutput{answer: codeOf(got)}
		if known == answered {
			revoked := decoded[struct{ RevokedGrantIDs []string }](g.c.t, got).RevokedGrantIDs
			out.id = joined(revoked)
		}
		return out, known
	})
}

func (g *grantsHistory) list(client int, random *rand.Rand, holder, permission int) {
	register := g.register(holder, permission)
	out, _ := observeRead(&g.history, client, grantsInput{"list", register}, func() (grantsOutput, outcome) {
		got, known := g.c.ask(random, g.c.admin.cookie, "GET", "/api/v1/grants?limit=10&userId="+g.ids[holder]+
			"&permissionId="+grantsPermissions[permission].id, nil)
		out := grantsOutput{answer: codeOf(got)}
		if known == answered {
			var inForce []string
			for _, grant := range decoded[struct {
				Grants []struct {
					ID        string
					RevokedAt *string
				}
			}](g.c.t, got).Grants {
				if grant.RevokedAt == nil {
					inForce = append(inForce, grant.ID)
				}
			}
			out.id = joined(inForce)
		}
		return out, known
	})
	g.note(register, out.id)
}

// joined returns the only id, "" for none, and for several a text that matches no state.
func joined(ids []string) string {
	slices.Sort(ids)
	text := ""
	for n, id := range ids {
		if n > 0 {
			text += " and "
		}
		text += id
	}
	return text
}

func (g *grantsHistory) note(register, id string) {
	if id != "" {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.last[register] = id
	}
}
