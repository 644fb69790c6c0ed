package e2e

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"syscall"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/services/porttest"
)

// keeping is an installation with two modules: keeper, which stores data about people, and board, which has a
// database and does not register for erasures.
type keeping struct {
	*installation
	owner *person
}

func installKeeper(t *testing.T) *keeping {
	t.Helper()
	return &keeping{installation: install(t, "board", "keeper")}
}

// behave sets the module's behaviour.
func (k *keeping) behave(t *testing.T, behaviour string) {
	t.Helper()
	k.db.Exec(t, `UPDATE module_keeper.behaviour SET name = $1`, behaviour)
}

// member adds a deactivated person about whom the module stores data.
func (k *keeping) member(t *testing.T, name string) (id string) {
	t.Helper()
	err := k.db.Pool(t).QueryRow(t.Context(), `
		INSERT INTO core.person (email, name, email_verified, password_hash, deactivated_at)
		SELECT lower($1) || '@example.org', $1, true, password_hash, now()
		FROM core.person
		WHERE email = $2
		RETURNING id::text`, name, ownerAddress).Scan(&id)
	if err != nil {
		t.Fatal(err)
	}
	k.db.Exec(t, `INSERT INTO module_keeper.kept VALUES ($1, 'sings bass')`, id)
	return id
}

func (k *keeping) erase(t *testing.T, id string) {
	t.Helper()
	if got := k.owner.do("POST", "/api/v1/people/"+id+"/erase", struct{}{}); got.status != http.StatusOK {
		t.Fatalf("POST /api/v1/people/%s/erase: %d %s, want 200", id, got.status, got.body)
	}
}

// pending returns the modules that, according to the directory, have not forgotten the person yet.
func (k *keeping) pending(t *testing.T, id string) []string {
	t.Helper()
	got := k.owner.do("GET", "/api/v1/people?userId="+id, nil)
	var page struct {
		People []struct {
			ErasurePending []string `json:"erasurePending"`
		} `json:"people"`
	}
	if err := json.Unmarshal([]byte(got.body), &page); err != nil || len(page.People) != 1 {
		t.Fatalf("GET /api/v1/people?userId=%s: %d %s", id, got.status, got.body)
	}
	return page.People[0].ErasurePending
}

func (k *keeping) awaitPending(t *testing.T, id string, want ...string) {
	t.Helper()
	eventually(t, "pending are the modules of the list",
		func() bool { return slices.Equal(k.pending(t, id), want) })
}

func (k *keeping) notifications(t *testing.T, id string) (times int) {
	t.Helper()
	if err := k.db.Pool(t).QueryRow(t.Context(), `SELECT count(*) FROM module_keeper.told WHERE user_id = $1`,
		id).Scan(&times); err != nil {
		t.Fatal(err)
	}
	return times
}

// retry makes all pending erasures due at once.
func (k *keeping) retry(t *testing.T) {
	t.Helper()
	k.db.Exec(t, `UPDATE core.person_erasure SET next_try_at = now()`)
}

// assertForgotten checks that the module was notified this many times and keeps nothing about the person.
func (k *keeping) assertForgotten(t *testing.T, id string, times int) {
	t.Helper()
	k.awaitPending(t, id)
	var kept int
	if err := k.db.Pool(t).QueryRow(t.Context(), `SELECT count(*) FROM module_keeper.kept WHERE user_id = $1`,
		id).Scan(&kept); err != nil {
		t.Fatal(err)
	}
	if got := k.notifications(t, id); got != times || kept != 0 {
		t.Errorf("the module was told %d times and keeps %d notes, want %d and none", got, kept, times)
	}
}

// TestErasureReachesModules uses two processes. A module is killed while it handles an erasure, a process is
// killed while it delivers one, and a module is off for a while. The module is notified of each erasure until
// it has forgotten the person, and not once more.
func TestErasureReachesModules(t *testing.T) {
	t.Parallel()
	k := installKeeper(t)
	port := strconv.Itoa(porttest.Free(t))
	two := &installation{db: k.db, address: "http://localhost:" + port, environment: maps.Clone(k.environment)}
	two.environment["SERVICE_API_PORT"] = port
	daemons := []*invocation{k.start(t), two.start(t)}
	k.owner = k.signIn(t, ownerAddress, ownerPassword)

	anna := k.member(t, "Anna")
	k.erase(t, anna)
	k.assertForgotten(t, anna, 1)

	k.behave(t, "hangs")
	bert := k.member(t, "Bert")
	k.erase(t, bert)
	eventually(t, "the module is told", func() bool { return k.notifications(t, bert) == 1 })
	k.awaitPending(t, bert, "keeper")
	k.behave(t, "obeys")
	for _, daemon := range daemons {
		if err := syscall.Kill(modulePID(t, daemon, "keeper"), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	k.retry(t)
	k.assertForgotten(t, bert, 2)

	k.behave(t, "hangs")
	carl := k.member(t, "Carl")
	k.erase(t, carl)
	eventually(t, "the module is told", func() bool { return k.notifications(t, carl) == 1 })
	for _, daemon := range daemons {
		daemon.signal(t, syscall.SIGKILL)
		<-daemon.ended
	}
	k.behave(t, "obeys")
	k.retry(t)
	if r := runCommand(t, k.environment, "", "modules:disable", "--", "--module", "keeper"); r.awaitExit(t) !=
		cli.ExitSuccess {
		t.Fatal("modules:disable failed")
	}
	daemon := k.start(t)
	doris := k.member(t, "Doris")
	k.erase(t, doris)
	k.awaitPending(t, doris, "keeper") // board has forgotten her, and keeper does not run
	if r := runCommand(t, k.environment, "", "modules:enable", "--", "--module", "keeper"); r.awaitExit(t) !=
		cli.ExitSuccess {
		t.Fatal("modules:enable failed")
	}
	k.restart(t, daemon)
	k.assertForgotten(t, carl, 2)
	k.assertForgotten(t, doris, 1)
}
