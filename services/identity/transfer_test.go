package identity_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/identity"
	"github.com/narthex-platform/narthex/services/waittest"
)

func TestTransferOwner(t *testing.T) {
	t.Parallel()
	const former, next = "bert@example.org", "anna@example.org"
	for _, row := range []struct {
		name  string
		to    func(h harness, t *testing.T) identity.Existing
		want  error
		owner string // afterwards
		moved bool
	}{
		{
			"by address",
			func(harness, *testing.T) identity.Existing { return identity.Existing{Email: "Anna@Example.org"} }, nil,
			next, true,
		},
		{
			"by id",
			func(h harness, t *testing.T) identity.Existing { return identity.Existing{UserID: h.id(t, next)} }, nil,
			next, true,
		},
		{
			"to the owner", func(harness, *testing.T) identity.Existing { return identity.Existing{Email: former} },
			nil, former, false,
		},
		{"nobody has the address", func(harness, *testing.T) identity.Existing {
			return identity.Existing{Email: "nobody@example.org"}
		}, identity.ErrNotFound, former, false},
		{"nobody has the id", func(harness, *testing.T) identity.Existing {
			return identity.Existing{UserID: "00000000-0000-0000-0000-000000000000"}
		}, identity.ErrNotFound, former, false},
		{"an id in another format", func(h harness, t *testing.T) identity.Existing {
			return identity.Existing{UserID: "{" + h.id(t, next) + "}"}
		}, identity.ErrNotFound, former, false},
		{
			"no address", func(harness, *testing.T) identity.Existing { return identity.Existing{Email: "anna"} },
			identity.ErrEmail, former, false,
		},
		{"no credential", func(h harness, t *testing.T) identity.Existing {
			h.Exec(t, "UPDATE core.person SET password_hash = NULL WHERE email = $1", next)
			return identity.Existing{Email: next}
		}, identity.ErrWithoutCredential, former, false},
		{"deactivated", func(h harness, t *testing.T) identity.Existing {
			h.Exec(t, "UPDATE core.person SET deactivated_at = now() WHERE email = $1", next)
			return identity.Existing{Email: next}
		}, identity.ErrDeactivated, former, false},
		{"no owner", func(h harness, t *testing.T) identity.Existing {
			h.Exec(t, "DELETE FROM core.platform_owner")
			return identity.Existing{Email: next}
		}, identity.ErrOwnerMissing, "", false},
		{"no store", func(h harness, t *testing.T) identity.Existing {
			h.Exec(t, "ALTER TABLE core.platform_owner RENAME COLUMN granted_at TO lost")
			return identity.Existing{Email: next}
		}, identity.ErrStore, former, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			h := setup(t)
			owned(former)(t, h)
			h.person(t, next)
			to := row.to(h, t)
			userID, moved, err := identity.TransferOwner(t.Context(), identity.NewStore(h.Pool(t)), to)
			if !errors.Is(err, row.want) || moved != row.moved || (err == nil) != (userID != "") {
				t.Errorf("transfer to %+v: %q, %v, %v, want %v, %v", to, userID, moved, err, row.moved, row.want)
			}
			if got := h.owner(t); got != row.owner {
				t.Errorf("the owner is %q, want %q", got, row.owner)
			}
		})
	}
}

// owner is the owner's address, "" when there is none.
func (h harness) owner(t *testing.T) (address string) {
	t.Helper()
	err := h.Pool(t).QueryRow(t.Context(), `
		SELECT coalesce((
			SELECT email
			FROM core.person
			JOIN core.platform_owner ON person_id = id
		), '')`).Scan(&address)
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// Of many transfers at the same time each succeeds in turn, and exactly one person owns the platform
// afterwards.
func TestTransfersAtOnce(t *testing.T) {
	t.Parallel()
	h := setup(t)
	owned("bert@example.org")(t, h)
	const runs = 20
	for n := range runs {
		h.person(t, fmt.Sprintf("p%d@example.org", n))
	}
	store := identity.NewStore(databasetest.Connected(t, h.Pool(t)))
	blockade := h.lockRows(t, becomingOwner)
	var moved atomic.Int32
	var running sync.WaitGroup
	for n := range runs {
		running.Go(func() {
			_, done, err := identity.TransferOwner(
				t.Context(),
				store,
				identity.Existing{Email: fmt.Sprintf("p%d@example.org", n)},
			)
			if err != nil {
				t.Error(err)
			} else if done {
				moved.Add(1)
			}
		})
	}
	blockade.release(5)
	running.Wait()
	if owners := h.count(t, "core.platform_owner"); moved.Load() != runs || owners != 1 ||
		h.owner(t) == "bert@example.org" {
		t.Errorf("%d of %d transfers succeeded, %d owners, want all and 1; the last owner is %s",
			moved.Load(), runs, owners, h.owner(t))
	}
}

// A person who loses the password at the same moment does not become the owner.
func TestOwnershipAgainstALostCredential(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		owner string
		run   func(*testing.T, *identity.Store, identity.Existing) error
	}{
		"transfer": {"bert@example.org", func(t *testing.T, s *identity.Store, who identity.Existing) error {
			_, _, err := identity.TransferOwner(t.Context(), s, who)
			return err
		}},
		"bootstrap": {"", func(t *testing.T, s *identity.Store, who identity.Existing) error {
			_, err := identity.BootstrapOwner(t.Context(), s, who)
			return err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := setup(t)
			h.person(t, "anna@example.org")
			if row.owner != "" {
				owned(row.owner)(t, h)
			}
			blockade := h.lockRows(t, "UPDATE core.person SET password_hash = NULL WHERE email = 'anna@example.org'")
			result := make(chan error, 1)
			go func() {
				result <- row.run(t, identity.NewStore(h.Pool(t)), identity.Existing{Email: "anna@example.org"})
			}()
			waittest.Until(t, "it waits for the lock or has ended",
				func() bool { return blockade.waiting() == 1 || len(result) == 1 })
			blockade.release(0)
			if err := <-result; !errors.Is(err, identity.ErrWithoutCredential) || h.owner(t) != row.owner {
				t.Errorf("got %v, the owner is %q", err, h.owner(t))
			}
		})
	}
}
