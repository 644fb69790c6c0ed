package identity_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/identity"
)

// prompt returns a password prompt that returns word and counts its calls in asked.
func prompt(word string, asked *int) func(context.Context) (environment.Secret, error) {
	return func(context.Context) (environment.Secret, error) {
		*asked++
		return environment.NewSecret(word), nil
	}
}

func TestCreateInitialOwner(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name    string
		before  func(*testing.T, harness)
		owner   identity.Owner
		word    string
		want    error
		adopted bool
		asked   int
		people  int // afterwards
		owners  int
	}{
		{
			name:   "fresh installation",
			owner:  identity.Owner{Email: "Anna@Example.org", Name: "Anna"},
			word:   password,
			asked:  1,
			people: 1,
			owners: 1,
		},
		{
			name:   "without a name",
			owner:  identity.Owner{Email: "anna@example.org"},
			word:   password,
			asked:  1,
			people: 1,
			owners: 1,
		},
		{name: "existing identity", owner: identity.Owner{Email: "ANNA@example.org"}, word: "another password",
			before:  func(t *testing.T, h harness) { h.person(t, "anna@example.org") },
			adopted: true, people: 1, owners: 1},
		{name: "existing identity, not verified", owner: identity.Owner{Email: "anna@example.org"},
			before:  func(t *testing.T, h harness) { h.person(t, "anna@example.org", "email_verified = false") },
			adopted: true, people: 1, owners: 1},
		{name: "row without credential", owner: identity.Owner{Email: "anna@example.org"}, word: password,
			before: func(t *testing.T, h harness) {
				h.person(t, "anna@example.org", "password_hash = NULL", "email_verified = false")
			},
			want: identity.ErrWithoutCredential, people: 1},
		{name: "somebody else is owner", owner: identity.Owner{Email: "anna@example.org"}, word: password,
			before: owned("bert@example.org"), want: identity.ErrOwnerExists, people: 1, owners: 1},
		{name: "is the owner already", owner: identity.Owner{Email: "bert@example.org"}, word: password,
			before: owned("bert@example.org"), want: identity.ErrOwnerExists, people: 1, owners: 1},
		{
			name:  "7 characters",
			owner: identity.Owner{Email: "anna@example.org"},
			word:  "1234567",
			want:  identity.ErrPassword,
			asked: 1,
		},
		{
			name:  "129 characters",
			owner: identity.Owner{Email: "anna@example.org"},
			word:  strings.Repeat("x", 129),
			want:  identity.ErrPassword,
			asked: 1,
		},
		{
			name:  "nothing typed",
			owner: identity.Owner{Email: "anna@example.org"},
			want:  identity.ErrPassword,
			asked: 1,
		},
		{
			name:  "no address",
			owner: identity.Owner{Email: "anna@localhost"},
			word:  password,
			want:  identity.ErrEmail,
		},
		{
			name:  "name with a control character",
			owner: identity.Owner{Email: "anna@example.org", Name: "A\nB"},
			word:  password,
			want:  identity.ErrName,
		},
		{
			name:  "invisible name",
			owner: identity.Owner{Email: "anna@example.org", Name: "\u3164"},
			word:  password,
			want:  identity.ErrName,
		},
		{
			name:  "name too long",
			owner: identity.Owner{Email: "anna@example.org", Name: strings.Repeat("x", 201)},
			word:  password,
			want:  identity.ErrName,
		},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			h := setup(t)
			if row.before != nil {
				row.before(t, h)
			}
			asked := 0
			row.owner.Password = prompt(row.word, &asked)
			outcome, err := identity.CreateInitialOwner(t.Context(), identity.NewStore(h.Pool(t)), row.owner)
			if !errors.Is(err, row.want) || (err == nil) != (row.want == nil) {
				t.Fatalf("CreateInitialOwner: error %v, want %v", err, row.want)
			}
			if asked != row.asked || outcome.Adopted != row.adopted {
				t.Errorf("asked for the password %d times, want %d; adopted %v, want %v", asked, row.asked,
					outcome.Adopted, row.adopted)
			}
			if people, owners := h.count(t, "core.person"), h.count(t, "core.platform_owner"); people != row.people ||
				owners != row.owners {
				t.Errorf("%d people and %d owners, want %d and %d", people, owners, row.people, row.owners)
			}
			if row.want != nil {
				if outcome != (identity.Outcome{}) ||
					h.count(
						t,
						"core.platform_owner o JOIN core.person p ON p.id = o.person_id WHERE p.email = 'anna@example.org'",
					) != 0 {
					t.Error("a refusal had an outcome")
				}
				return
			}
			if h.count(
				t,
				"core.platform_owner o JOIN core.person p ON p.id = o.person_id WHERE p.id = $1 AND p.email_verified",
				outcome.UserID,
			) != 1 {
				t.Error("the reported person is not the verified owner")
			}
			h.signIn(t, "anna@example.org", "") // with the previous password, or the typed one
		})
	}
}

func owned(address string) func(*testing.T, harness) {
	return func(t *testing.T, h harness) {
		h.Exec(t, "INSERT INTO core.platform_owner (person_id) VALUES ($1)", h.person(t, address))
	}
}

func TestOwnerPromptFails(t *testing.T) {
	t.Parallel()
	h := setup(t)
	closed := errors.New("standard input is closed")
	_, err := identity.CreateInitialOwner(t.Context(), identity.NewStore(h.Pool(t)), identity.Owner{
		Email:    "anna@example.org",
		Password: func(context.Context) (environment.Secret, error) { return environment.Secret{}, closed },
	})
	if !errors.Is(err, closed) || h.count(t, "core.person") != 0 {
		t.Errorf("error %v, want the prompt's own, and no new person", err)
	}
}

func TestOwnerWithoutSchema(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.Exec(t, "ALTER TABLE core.platform_owner RENAME TO lost")
	asked := 0
	_, err := identity.CreateInitialOwner(t.Context(), identity.NewStore(h.Pool(t)),
		identity.Owner{Email: "anna@example.org", Password: prompt(password, &asked)})
	if !errors.Is(err, identity.ErrStore) || asked != 0 {
		t.Errorf("CreateInitialOwner without its table: error %v, want %v; asked for the password %d times, want 0",
			err, identity.ErrStore, asked)
	}
}

// Changes made while the operator was typing are respected, because the decision is made under the lock.
func TestOwnerDecidedAgain(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name      string
		meanwhile func(*testing.T, harness)
		want      error
		adopted   bool
	}{
		{"another owner", owned("bert@example.org"), identity.ErrOwnerExists, false},
		{"the person signs up", func(t *testing.T, h harness) { h.person(t, "anna@example.org") }, nil, true},
		{
			"a row without credential",
			func(t *testing.T, h harness) { h.person(t, "anna@example.org", "password_hash = NULL") },
			identity.ErrWithoutCredential,
			false,
		},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			h := setup(t)
			outcome, err := identity.CreateInitialOwner(t.Context(), identity.NewStore(h.Pool(t)), identity.Owner{
				Email: "anna@example.org",
				Password: func(context.Context) (environment.Secret, error) {
					row.meanwhile(t, h)
					return environment.NewSecret("typed by the operator"), nil
				},
			})
			if !errors.Is(err, row.want) || (err == nil) != (row.want == nil) || outcome.Adopted != row.adopted {
				t.Fatalf("outcome %+v, error %v; want adopted %v and error %v", outcome, err, row.adopted,
					row.want)
			}
			if row.adopted {
				h.signIn(t, "anna@example.org", "") // with the person's own password
			}
			if h.count(t, "core.person") != 1 {
				t.Error("a person was made")
			}
		})
	}
}

// A sign-up that is not yet committed when the address is looked up becomes the owner with its own
// password.
func TestOwnerAndSignUpAtOnce(t *testing.T) {
	t.Parallel()
	h := setup(t)
	signUp := h.lockRows(
		t,
		"INSERT INTO core.person (email, name, password_hash) VALUES ('anna@example.org', 'Anna', $1)",
		passwordHash(),
	)
	asked := 0
	var outcome identity.Outcome
	var err error
	var command sync.WaitGroup
	command.Go(func() {
		outcome, err = identity.CreateInitialOwner(t.Context(), identity.NewStore(h.Pool(t)),
			identity.Owner{Email: "anna@example.org", Password: prompt("typed by the operator", &asked)})
	})
	signUp.release(1)
	command.Wait()
	if err != nil || !outcome.Adopted || outcome.UserID != h.id(t, "anna@example.org") || asked != 1 {
		t.Fatalf("got %+v, %v, asked %d times", outcome, err, asked)
	}
	h.signIn(t, "anna@example.org", "")
}

// Of many commands at the same time, one succeeds. The second row drops the primary key, so that only the
// table lock decides. The test is not parallel, because so many hashes would leave other tests too little
// time for their queries.
func TestOwnersAtOnce(t *testing.T) {
	rows := []struct {
		name        string
		prepare     string
		sameAddress bool
		runs        int
	}{
		{"lock and key, one address", "SELECT 1", true, 50},
		{
			"lock alone, many addresses",
			"ALTER TABLE core.platform_owner DROP CONSTRAINT platform_owner_pkey",
			false,
			20,
		},
	}
	for _, row := range rows {
		if testing.Short() {
			row.runs = 8 // each makes a hash
		}
		t.Run(row.name, func(t *testing.T) {
			h := setup(t)
			h.Exec(t, row.prepare)
			blockade := h.lockRows(t, becomingOwner)
			store := identity.NewStore(databasetest.Connected(t, h.Pool(t)))
			var made, refused atomic.Int32
			var running sync.WaitGroup
			typed := make(chan struct{}) // closed when all have found that they need a password
			var typing sync.WaitGroup
			typing.Add(row.runs)
			for i := range row.runs {
				address := "anna@example.org"
				if !row.sameAddress {
					address = fmt.Sprintf("p%d@example.org", i)
				}
				running.Go(func() {
					decided := sync.OnceFunc(typing.Done)
					defer decided() // the others do not wait for a command that has already failed
					outcome, err := identity.CreateInitialOwner(t.Context(), store, identity.Owner{
						Email: address,
						Password: func(context.Context) (environment.Secret, error) {
							decided()
							<-typed
							return environment.NewSecret(password), nil
						},
					})
					switch {
					case err == nil && !outcome.Adopted:
						made.Add(1)
					case errors.Is(err, identity.ErrOwnerExists):
						refused.Add(1)
					default:
						t.Errorf("outcome %+v, error %v; want an owner made or %v", outcome, err,
							identity.ErrOwnerExists)
					}
				})
			}
			typing.Wait()
			close(typed)
			blockade.release(5)
			running.Wait()
			if int(made.Load()) != 1 || int(refused.Load()) != row.runs-1 {
				t.Errorf(
					"%d commands succeeded and %d were refused, want 1 and %d", made.Load(), refused.Load(), row.runs-1,
				)
			}
			if h.count(t, "core.platform_owner") != 1 || h.count(t, "core.person") != 1 {
				t.Errorf("%d owners and %d people, want 1 and 1",
					h.count(t, "core.platform_owner"), h.count(t, "core.person"))
			}
		})
	}
}

// Without the table lock two commands may both read that there is no owner. Even then only one makes an
// owner: the primary key refuses the other, with its own code.
func TestOwnerKeyDecides(t *testing.T) {
	t.Parallel()
	h := setup(t)
	store := identity.NewStore(h.Pool(t))
	var saw sync.WaitGroup
	saw.Add(2)
	meet := func() { saw.Done(); saw.Wait() }
	results := make(chan error, 2)
	for _, address := range []string{"anna@example.org", "bert@example.org"} {
		go func() { results <- store.SettleWithoutLock(t.Context(), address, passwordHash(), meet) }()
	}
	first, second := <-results, <-results
	if first != nil {
		first, second = second, first
	}
	if first != nil || !errors.Is(second, identity.ErrOwnerExists) {
		t.Errorf("errors %v and %v, want one success and %v", first, second, identity.ErrOwnerExists)
	}
	if h.count(t, "core.platform_owner") != 1 || h.count(t, "core.person") != 1 {
		t.Error("the loser left something behind")
	}
}
