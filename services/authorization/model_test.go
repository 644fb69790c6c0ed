package authorization_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/principal"
	"github.com/narthex-platform/narthex/services/randomtest"
)

// screens is a store of devices' permissions, in a table that the test creates.
type screens struct{ pool *pgxpool.Pool }

func (s screens) Permissions(ctx context.Context, deviceID string) (permissions []string, err error) {
	err = s.pool.QueryRow(
		ctx, "SELECT coalesce(array_agg(permission), '{}') FROM screen WHERE id = $1", deviceID,
	).
		Scan(&permissions)
	return permissions, err
}

func setupWithScreens(t *testing.T) harness {
	t.Helper()
	db := databasetest.New(t)
	db.Exec(t, "CREATE TABLE screen (id text NOT NULL, permission text NOT NULL)")
	return harness{db, serve(t, db.Pool(t), screens{db.Pool(t)})}
}

// fact is one grant of the model.
type fact struct {
	person, permission                      string
	expired, ends, revoked, scoped, foreign bool
}

// world is the state of the model. It never calls the code under test.
type world struct {
	owner   string
	facts   []fact
	screens map[string][]string // device, permissions
}

// modelAllows implements the rules independently. Nobody has an undeclared permission. A person has the
// authenticated permissions and those of the grants in force; the owner has all. A device has the permissions
// in its own store. Nobody else has a permission.
func (w world) modelAllows(p principal.Principal, permission string) bool {
	baselines := map[string]string{
		read:   "authenticated",
		manage: "restricted",
		purge:  "restricted",
		grants: "restricted",
	}
	baseline, declared := baselines[permission]
	if !declared {
		return false
	}
	if p.Kind == principal.Device {
		for _, held := range w.screens[p.DeviceID] {
			if held == permission {
				return true
			}
		}
		return false
	}
	if p.Kind != principal.Human {
		return false
	}
	if baseline == "authenticated" || p.UserID == w.owner {
		return true
	}
	for _, f := range w.facts {
		if f.person == p.UserID && f.permission == permission && !f.expired && !f.revoked && !f.scoped &&
			!f.foreign {
			return true
		}
	}
	return false
}

var asked = []string{
	read,
	manage,
	purge,
	grants,
	"test.things.undeclared",
	"test.things",
	"",
	"TEST.things.manage",
}

func TestAgainstModel(t *testing.T) {
	t.Parallel()
	first := randomtest.Seed(t)
	for seed := first; seed != first+4; seed++ {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			h := setupWithScreens(t)
			random := randomtest.New(seed, 1)
			w, everybody := h.createRandomWorld(t, random)
			yes := 0
			for _, p := range everybody {
				caller := h.service.Caller(p)
				for _, i := range random.Perm(len(asked)) {
					got, err := caller.Allowed(t.Context(), asked[i])
					if want := w.modelAllows(p, asked[i]); err != nil || got != want {
						t.Errorf("%+v, %q: got %v, %v, want %v", p, asked[i], got, err, want)
					}
					if got {
						yes++
					}
				}
			}
			t.Logf("%d principals, %d questions, %d allowed", len(everybody), len(everybody)*len(asked), yes)
		})
	}
}

// createRandomWorld writes a random world into the database and returns it with all its principals.
func (h harness) createRandomWorld(
	t *testing.T, random *rand.Rand,
) (w world, everybody []principal.Principal) {
	t.Helper()
	permission := func() string { return asked[random.IntN(len(asked))] }
	chance := func() bool { return random.IntN(4) == 0 }
	everybody = []principal.Principal{
		{},
		principal.Person(unknownID),
		{Kind: principal.Device, DeviceID: "unknown"},
	}
	for i := range 30 {
		id := h.person(t, fmt.Sprintf("p%d@example.org", i))
		everybody = append(
			everybody,
			principal.Person(id),
			principal.Principal{UserID: id},
			principal.Principal{Kind: principal.Device, DeviceID: id, UserID: id},
		)
		for range random.IntN(7) {
			f := fact{
				person:     id,
				permission: permission(),
				expired:    chance(),
				ends:       chance(),
				revoked:    chance(),
				scoped:     chance(),
				foreign:    chance(),
			}
			w.facts = append(w.facts, f)
			h.write(t, f)
		}
	}
	w.owner = everybody[3+3*random.IntN(30)].UserID
	h.Exec(t, "INSERT INTO core.platform_owner (person_id) VALUES ($1)", w.owner)
	w.screens = make(map[string][]string)
	for i := range 30 {
		id := fmt.Sprint("screen ", i)
		everybody = append(everybody, principal.Principal{Kind: principal.Device, DeviceID: id, UserID: w.owner})
		for range random.IntN(4) {
			held := permission()
			w.screens[id] = append(w.screens[id], held)
			h.Exec(t, "INSERT INTO screen (id, permission) VALUES ($1, $2)", id, held)
		}
	}
	return w, everybody
}

func (h harness) write(t *testing.T, f fact) {
	t.Helper()
	h.Exec(t, `
		INSERT INTO core.permission_grant (person_id, permission_id, scope, source_kind, expires_at, revoked_at)
		VALUES (
			$1, $2,
			CASE WHEN $3 THEN 'somewhere' END,
			CASE WHEN $4 THEN 'membership' ELSE 'explicit' END,
			CASE WHEN $5 THEN now() - interval '1 second' WHEN $6 THEN now() + interval '1 hour' END,
			CASE WHEN $7 THEN now() - interval '1 minute' END
		)`, f.person, f.permission, f.scoped, f.foreign, f.expired, f.ends, f.revoked)
}

func TestDevices(t *testing.T) {
	t.Parallel()
	h := setupWithScreens(t)
	h.Exec(t, "INSERT INTO screen (id, permission) VALUES ('s', $1)", manage)
	screen := principal.Principal{Kind: principal.Device, DeviceID: "s"}
	caller := h.service.Caller(screen)
	if allowed(t, caller, read) || !allowed(t, caller, manage) || allowed(t, caller, purge) {
		t.Error("a device holds exactly what its store says")
	}

	h.Exec(t, "ALTER TABLE screen RENAME TO lost") // from here on every further query fails
	if !allowed(t, caller, manage) || allowed(t, caller, purge) {
		t.Error("the response changed within the request")
	}
	next := h.service.Caller(screen)
	for _, permission := range []string{manage, read} {
		if _, err := next.Allowed(t.Context(), permission); !errors.Is(err, httpapi.ErrPrincipal) {
			t.Errorf("Allowed(%s) with a broken store: error %v, want %v", permission, err,
				httpapi.ErrPrincipal)
		}
	}
	if allowed(t, next, "test.things.undeclared") {
		t.Error("what nobody declared was allowed")
	}
	// Decisions about people do not need the store of devices, and decisions about devices do not need that of
	// people.
	if !allowed(t, h.service.Caller(h.owner(t)), manage) {
		t.Error("the owner was denied")
	}
	h.Exec(t, "ALTER TABLE lost RENAME TO screen")
	h.breakStore(t)
	if !allowed(t, h.service.Caller(screen), manage) {
		t.Error("a device depends on grants")
	}
}
