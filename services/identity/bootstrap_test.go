package identity_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/identity"
)

func TestBootstrapOwner(t *testing.T) {
	t.Parallel()
	const address = "anna@example.org"
	for _, row := range []struct {
		name   string
		before func(*testing.T, harness) identity.Existing
		want   error
		owners int
	}{
		{"by address", func(t *testing.T, h harness) identity.Existing {
			h.person(t, address)
			return identity.Existing{Email: "Anna@Example.org"}
		}, nil, 1},
		{"by id", func(t *testing.T, h harness) identity.Existing {
			h.person(t, address)
			return identity.Existing{UserID: h.id(t, address)}
		}, nil, 1},
		{
			"nobody has the address",
			func(*testing.T, harness) identity.Existing { return identity.Existing{Email: address} },
			identity.ErrNotFound, 0,
		},
		{"nobody has the id", func(*testing.T, harness) identity.Existing {
			return identity.Existing{UserID: "00000000-0000-0000-0000-000000000000"}
		}, identity.ErrNotFound, 0},
		{"an id in another format", func(t *testing.T, h harness) identity.Existing {
			h.person(t, address)
			return identity.Existing{UserID: "{" + h.id(t, address) + "}"}
		}, identity.ErrNotFound, 0},
		{
			"no address", func(*testing.T, harness) identity.Existing { return identity.Existing{Email: "anna"} },
			identity.ErrEmail, 0,
		},
		{"no credential", func(t *testing.T, h harness) identity.Existing {
			h.person(t, address, "password_hash = NULL")
			return identity.Existing{Email: address}
		}, identity.ErrWithoutCredential, 0},
		{"there is an owner", func(t *testing.T, h harness) identity.Existing {
			owned("bert@example.org")(t, h)
			h.person(t, address)
			return identity.Existing{Email: address}
		}, identity.ErrOwnerExists, 1},
		{"is the owner already", func(t *testing.T, h harness) identity.Existing {
			owned("bert@example.org")(t, h)
			return identity.Existing{Email: "bert@example.org"}
		}, identity.ErrOwnerExists, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			h := setup(t)
			who := row.before(t, h)
			userID, err := identity.BootstrapOwner(t.Context(), identity.NewStore(h.Pool(t)), who)
			if !errors.Is(err, row.want) || err == nil && userID != h.id(t, address) || err != nil && userID != "" {
				t.Errorf("BootstrapOwner: user %q, error %v; want error %v", userID, err, row.want)
			}
			if got := h.count(t, "core.platform_owner"); got != row.owners {
				t.Errorf("%d owners, want %d", got, row.owners)
			}
		})
	}
}

// id returns a person's id, or "" when there is none.
func (h harness) id(t *testing.T, address string) (id string) {
	t.Helper()
	if err := h.Pool(t).QueryRow(
		t.Context(), `SELECT coalesce((SELECT id::text FROM core.person WHERE email = $1), '')`, address,
	).Scan(&id); err != nil {
		t.Fatal(err)
	}
	return id
}

// becomingOwner blocks statements that write or reference a person, which includes making an owner, and
// allows reads.
const becomingOwner = "LOCK TABLE core.person IN EXCLUSIVE MODE"

// Of 50 commands at the same time, one succeeds. The second row drops the primary key, so that only the table
// lock decides.
func TestBootstrapsAtOnce(t *testing.T) {
	t.Parallel()
	for _, prepare := range []string{
		"SELECT 1", "ALTER TABLE core.platform_owner DROP CONSTRAINT platform_owner_pkey",
	} {
		t.Run(prepare, func(t *testing.T) {
			t.Parallel()
			h := setup(t)
			h.Exec(t, prepare)
			h.person(t, "anna@example.org")
			store := identity.NewStore(databasetest.Connected(t, h.Pool(t)))
			blockade := h.lockRows(t, becomingOwner)
			var made, refused atomic.Int32
			var running sync.WaitGroup
			for range 50 {
				running.Go(func() {
					_, err := identity.BootstrapOwner(t.Context(), store, identity.Existing{Email: "anna@example.org"})
					switch {
					case err == nil:
						made.Add(1)
					case errors.Is(err, identity.ErrOwnerExists):
						refused.Add(1)
					default:
						t.Error(err)
					}
				})
			}
			blockade.release(5)
			running.Wait()
			if made.Load() != 1 || refused.Load() != 49 || h.count(t, "core.platform_owner") != 1 {
				t.Errorf(
					"%d bootstraps succeeded and %d were refused, want 1 and 49, and one owner", made.Load(), refused.Load(),
				)
			}
		})
	}
}
