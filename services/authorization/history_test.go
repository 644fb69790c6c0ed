package authorization_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/narthex-platform/narthex/services/authorization"
	"github.com/narthex-platform/narthex/services/principal"
)

const (
	historyGrants = 100_000
	historyPeople = 20
)

// history makes 100,000 explicit grants for 20 people. They share 40 timestamps that are a microsecond apart,
// so that JSON shows them as equal; 1,000 of the grants are from another source.
func history(t *testing.T) (h harness, owner principal.Principal) {
	h = setup(t)
	owner = h.owner(t)
	h.Exec(
		t,
		"INSERT INTO core.person (email, name) SELECT 'p' || i, 'P' FROM generate_series(1, $1::int) AS i",
		historyPeople,
	)
	h.Exec(t, `
		INSERT INTO core.permission_grant (person_id, permission_id, source_kind, created_at, revoked_at)
		SELECT people.ids[1 + i % $2], 'test.p' || i % 7, CASE WHEN i > $1 THEN 'membership' ELSE 'explicit' END,
			'2026-01-01'::timestamptz + i % 40 * interval '1 microsecond', CASE WHEN i % 3 = 0 THEN now() END
		FROM generate_series(1, $1::int + 1000) AS i,
			(SELECT array_agg(id) AS ids FROM core.person WHERE name = 'P') AS people`, historyGrants, historyPeople)
	h.Exec(t, "VACUUM ANALYZE core.permission_grant")
	return h, owner
}

// While others issue and revoke, a client that reads page by page gets every grant that existed when it read
// the first page, and no grant twice.
func TestLongHistory(t *testing.T) {
	if testing.Short() {
		t.Skip("100,000 grants")
	}
	t.Parallel()
	h, owner := history(t)
	t.Run("plans", h.plans)

	person := h.text(t, "SELECT id::text FROM core.person WHERE email = 'p7'")
	filters := map[string]string{
		"":                     "true",
		"userId=" + person:     "person_id = '" + person + "'",
		"permissionId=test.p3": "permission_id = 'test.p3'",
		"userId=" + person + "&permissionId=test.p3": "person_id = '" + person + "' AND permission_id = 'test.p3'",
	}
	there := make(map[string]map[string]bool)
	for filter, condition := range filters {
		there[filter] = h.set(
			t,
			"SELECT id::text FROM core.permission_grant WHERE source_kind = 'explicit' AND "+condition,
		)
	}
	if n := len(there[""]); n != historyGrants {
		t.Fatalf("%d grants, want %d", n, historyGrants)
	}

	ctx, stop := context.WithCancel(t.Context())
	var disturbing sync.WaitGroup
	for i := range 2 {
		disturbing.Go(func() { h.disturb(ctx, t, owner, fmt.Sprint("writer", i)) })
	}
	defer disturbing.Wait()
	defer stop()
	for filter, condition := range filters {
		h.readAll(t, owner, filter, condition, there[filter])
	}
	if n := h.count(t, "core.permission_grant WHERE source_kind = 'explicit'"); n == historyGrants {
		t.Error("nothing was issued meanwhile")
	}
}

func (h harness) set(t *testing.T, sql string) map[string]bool {
	t.Helper()
	rows, err := h.Pool(t).Query(t.Context(), sql)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	set := make(map[string]bool)
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			t.Fatal(err)
		}
		set[id] = true
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return set
}

// disturb issues and revokes through the service, inserts rows between the listed ones, and revokes others
// directly in the database.
func (h harness) disturb(ctx context.Context, t *testing.T, owner principal.Principal, name string) {
	var id string
	if err := h.Pool(t).QueryRow(
		t.Context(), "INSERT INTO core.person (email, name) VALUES ($1, 'W') RETURNING id::text", name,
	).Scan(&id); err != nil {
		t.Error(err)
		return
	}
	for ctx.Err() == nil {
		w := h.send(owner, "POST", "/api/v1/grants", grantBody(id, manage, ""))
		if w.Code != 201 {
			t.Errorf("POST /api/v1/grants: status %d, want 201; body %s", w.Code, w.Body)
			return
		}
		_, grantID, _ := strings.Cut(w.Body.String(), `"id":"`)
		if w := h.revoke(owner, grantID[:36]); w.Code != 200 {
			t.Errorf("revoke: status %d, want 200; body %s", w.Code, w.Body)
			return
		}
		_, err := h.Pool(t).Exec(t.Context(), `
			WITH picked AS (
				SELECT *
				FROM core.permission_grant TABLESAMPLE SYSTEM (0.1)
				WHERE created_at < '2026-01-02'
				LIMIT 5
			), revoked AS (
				UPDATE core.permission_grant SET revoked_at = now() WHERE id IN (SELECT id FROM picked) AND revoked_at IS
					NULL
			)
			INSERT INTO core.permission_grant (person_id, permission_id, created_at)
			SELECT person_id, permission_id, created_at FROM picked`)
		if err != nil {
			t.Error(err)
			return
		}
	}
}

func (h harness) readAll(
	t *testing.T,
	owner principal.Principal,
	filter, condition string,
	there map[string]bool,
) {
	seen := make(map[string]bool)
	query := strings.TrimPrefix(filter+"&limit=200", "&")
	for next := query; next != ""; {
		page := h.page(t, owner, next)
		for _, id := range page.ids() {
			if seen[id] {
				t.Fatalf("%q: %s came twice", filter, id)
			}
			seen[id] = true
		}
		next = ""
		if page.NextCursor != nil {
			next = query + "&cursor=" + *page.NextCursor
		}
	}
	for id := range there {
		if !seen[id] {
			t.Fatalf("%q: %s was skipped; %d of %d seen", filter, id, len(seen), len(there))
		}
	}
	after := h.set(
		t,
		"SELECT id::text FROM core.permission_grant WHERE source_kind = 'explicit' AND "+condition,
	)
	for id := range seen {
		if !after[id] {
			t.Fatalf("%q: %s does not belong here", filter, id)
		}
	}
}

// The plan of every page is the beginning of one index scan, without a sort and without discarded rows. The
// same is true for the look-ups by person.
func (h harness) plans(t *testing.T) {
	person := h.text(t, "SELECT id::text FROM core.person WHERE email = 'p7'")
	first := h.page(
		t,
		principal.Person(h.text(t, "SELECT person_id::text FROM core.platform_owner")),
		"limit=200",
	)
	for index, query := range map[string]string{
		"permission_grant_list":            "limit=200",
		"permission_grant_list_person":     "userId=" + person,
		"permission_grant_list_permission": "permissionId=test.p3",
		"permission_grant_list_both":       "permissionId=test.p3&userId=" + person,
	} {
		for _, q := range []string{query, query + "&cursor=" + *first.NextCursor} {
			sql, args, err := authorization.ListStatement(q)
			if err != nil {
				t.Fatal(err)
			}
			plan := h.plan(t, sql, args...)
			if !strings.Contains(plan, "Index Scan using "+index+" on") || strings.Count(plan, "->") != 1 ||
				!strings.HasPrefix(plan, "Limit") ||
				!strings.Contains(plan, "Index Cond:") ||
				strings.Contains(plan, "Filter") {
				t.Errorf("plan of %s, want one scan of %s without a filter:\n%s", q, index, plan)
			}
		}
	}
	id := h.text(t, "SELECT id::text FROM core.permission_grant LIMIT 1")
	for name, plan := range map[string]string{
		"holdings": h.plan(t, authorization.SelectHoldings, person),
		"issue":    h.plan(t, authorization.InsertGrant, person, "test.p3", nil, nil),
		"revoke":   h.plan(t, authorization.UpdateRevoked, id, nil),
	} {
		if !strings.Contains(plan, "permission_grant_unrevoked") ||
			strings.Contains(plan, "Seq Scan on permission_grant") {
			t.Errorf("plan of %s, want permission_grant_unrevoked and no sequential scan:\n%s", name, plan)
		}
	}
}

func (h harness) plan(t *testing.T, sql string, args ...any) string {
	t.Helper()
	rows, err := h.Pool(t).Query(t.Context(), "EXPLAIN (COSTS OFF) "+sql, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var lines []string
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}
