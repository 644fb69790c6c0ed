package e2e

import (
	"maps"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/narthex-platform/narthex/services/porttest"
)

// scheduled is an installation with the module regular, which has an hourly schedule.
type scheduled struct{ *installation }

// forward advances the database's clock by moving all stored times back.
func (s scheduled) forward(t *testing.T, by string) {
	t.Helper()
	s.db.Exec(t, `
		UPDATE core.module_schedule
		SET due_at = due_at - $1::interval, free_at = free_at - $1::interval`, by)
}

func (s scheduled) behave(t *testing.T, behaviour string) {
	t.Helper()
	s.db.Exec(t, `UPDATE module_regular.behaviour SET name = $1`, behaviour)
}

// runs counts the runs that have begun and those that have ended.
func (s scheduled) runs(t *testing.T) (begun, ended int) {
	t.Helper()
	if err := s.db.Pool(t).QueryRow(t.Context(), `SELECT count(*), count(ended) FROM module_regular.runs`).
		Scan(&begun, &ended); err != nil {
		t.Fatal(err)
	}
	return begun, ended
}

// is reports whether the row of the only schedule fulfils a condition.
func (s scheduled) is(t *testing.T, condition string) (found bool) {
	t.Helper()
	if err := s.db.Pool(t).QueryRow(t.Context(), `
		SELECT EXISTS (SELECT FROM core.module_schedule WHERE module_id = 'regular' AND name = 'work' AND `+
		condition+`)`).Scan(&found); err != nil {
		t.Fatal(err)
	}
	return found
}

func (s scheduled) assertRuns(t *testing.T, after string, begun, ended int) {
	t.Helper()
	if b, e := s.runs(t); b != begun || e != ended {
		t.Errorf("after %s: %d runs have begun and %d have ended, want %d and %d", after, b, e, begun, ended)
	}
}

const done = "due_at > now() AND tries = 0"

func TestEveryRunsOnceInTwoDaemons(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for daemons to look for what is due")
	}
	t.Parallel()
	scheduled{install(t, "regular")}.runOnceInTwoDaemons(t)
}

// runOnceInTwoDaemons: each run is made by only one of two daemons on a database. If one is killed during a
// run, the other makes the run again after the claim has expired. Missed runs are made up for once. A daemon
// that is stopped during a run releases its claim.
func (s scheduled) runOnceInTwoDaemons(t *testing.T) {
	port := strconv.Itoa(porttest.Free(t))
	two := &installation{db: s.db, address: "http://localhost:" + port, environment: maps.Clone(s.environment)}
	two.environment["SERVICE_API_PORT"] = port
	daemons := []*invocation{s.start(t), two.start(t)}
	eventually(t, "the schedule is declared", func() bool { return s.is(t, "due_at > now()") })

	for n := range 2 {
		s.forward(t, "1 hour")
		eventually(t, "the run is made", func() bool { return s.is(t, done) })
		s.assertRuns(t, "another hour", n+1, n+1)
	}

	s.behave(t, "hangs")
	s.forward(t, "1 hour")
	eventually(t, "a run has begun", func() bool { begun, _ := s.runs(t); return begun == 3 })
	var pid int
	if err := s.db.Pool(t).QueryRow(t.Context(), `SELECT pid FROM module_regular.runs ORDER BY id DESC LIMIT 1`).
		Scan(&pid); err != nil {
		t.Fatal(err)
	}
	killed := 0
	if modulePID(t, daemons[1], "regular") == pid {
		killed = 1
	}
	daemons[killed].signal(t, syscall.SIGKILL)
	<-daemons[killed].ended
	s.behave(t, "obeys")
	s.assertRuns(t, "a kill", 3, 2)
	if !s.is(t, "tries = 1 AND free_at > now()") {
		t.Error("the claim of a killed daemon has ended with it, want it to last: nobody knows that it was killed")
	}
	s.forward(t, "45 seconds")
	eventually(t, "the other daemon makes the run", func() bool { return s.is(t, done) })
	s.assertRuns(t, "a kill and the end of its claim", 4, 3)

	rest := daemons[1-killed]
	rest.signal(t, syscall.SIGKILL)
	<-rest.ended
	s.forward(t, "5 hours")
	rest = s.start(t)
	eventually(t, "the missed runs are made up", func() bool { return s.is(t, done) })
	s.assertRuns(t, "five hours without a daemon", 5, 4)

	s.behave(t, "hangs")
	s.forward(t, "1 hour")
	eventually(t, "a run has begun", func() bool { begun, _ := s.runs(t); return begun == 6 })
	rest.signal(t, syscall.SIGTERM)
	<-rest.ended
	if !s.is(t, "tries = 0 AND free_at <= now() AND due_at <= now()") {
		t.Error("a run that ended with its daemon was not given back")
	}
	var overlaps int
	if err := s.db.Pool(t).QueryRow(t.Context(), `
		SELECT count(*)
		FROM module_regular.runs a
		JOIN module_regular.runs b ON a.id < b.id AND b.began < a.ended`).Scan(&overlaps); err != nil {
		t.Fatal(err)
	}
	if overlaps > 0 {
		t.Errorf("%d pairs of runs overlap, want none", overlaps)
	}
}

// TestNamesOfPeople asks for the names of active, deactivated, erased and unknown people, and for ids that
// are not UUIDs.
func TestNamesOfPeople(t *testing.T) {
	t.Parallel()
	i := install(t, "regular")
	i.start(t)
	owner := i.signIn(t, ownerAddress, ownerPassword)
	add := func(name, columns, values string) (id string) {
		if err := i.db.Pool(t).QueryRow(t.Context(), `
			INSERT INTO core.person (name, email, email_verified`+columns+`)
			VALUES ($1, lower($1) || '@example.org', true`+values+`)
			RETURNING id::text`, name).Scan(&id); err != nil {
			t.Fatal(err)
		}
		return id
	}
	ruth := add("Ruth", "", "")
	naomi := add("Naomi", ", deactivated_at", ", now()")
	boaz := add("Boaz", ", deactivated_at", ", now()")
	if got := owner.do("POST", "/api/v1/people/"+boaz+"/erase", struct{}{}); got.status != http.StatusOK {
		t.Fatalf("POST /api/v1/people/%s/erase: %d %s, want 200", boaz, got.status, got.body)
	}
	ids := []string{ruth, naomi, boaz, "00000000-0000-4000-8000-000000000000", "nobody", strings.ToUpper(ruth)}
	const route = "/api/v1/modules/regular/names?ids="
	got := owner.do("GET", route+strings.Join(ids, ","), nil)
	var names map[string]string
	if err := json.Unmarshal([]byte(got.body), &names); err != nil ||
		!maps.Equal(names, map[string]string{ruth: "Ruth", naomi: "Naomi"}) {
		t.Errorf("the names of six ids: %d %s, want those of Ruth and Naomi", got.status, got.body)
	}
	if got := owner.do("GET", route+strings.Repeat("x,", 200), nil); got.status != http.StatusBadRequest {
		t.Errorf("the names of 201 ids: %d %s, want 400", got.status, got.body)
	}
}
