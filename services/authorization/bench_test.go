package authorization_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/narthex-platform/narthex/services/principal"
)

func BenchmarkIssueAndRevoke(b *testing.B) {
	h := setup(b)
	owner := h.owner(b)
	caller := h.service.Caller(owner)
	person := h.person(b, "a@example.org")
	body := grantBody(person, manage, "")
	b.ReportAllocs()
	for b.Loop() {
		w := h.sendAs(caller, "POST", "/api/v1/grants", body)
		if w.Code != http.StatusCreated {
			b.Fatalf("issue: status %d, want 201; body %s", w.Code, w.Body)
		}
		if w := h.sendAs(
			caller, "POST", "/api/v1/grants/"+w.Body.String()[7:43]+"/revoke", "{}",
		); w.Code != http.StatusOK {
			b.Fatalf("revoke: status %d, want 200; body %s", w.Code, w.Body)
		}
	}
}

func BenchmarkHoldings(b *testing.B) {
	for _, held := range []int{0, 10, 100} {
		b.Run(fmt.Sprint(held), func(b *testing.B) {
			h := setup(b)
			person := principal.Person(h.person(b, "a@example.org"))
			h.Exec(
				b,
				"INSERT INTO core.permission_grant (person_id, permission_id) SELECT $1, 'test.p' || i FROM "+
					"generate_series(1, $2::int) AS i",
				person.UserID,
				held,
			)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := h.service.Caller(person).Allowed(b.Context(), manage); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkPage(b *testing.B) {
	h := setup(b)
	caller := h.service.Caller(h.owner(b))
	h.Exec(
		b,
		"INSERT INTO core.permission_grant (person_id, permission_id) SELECT person_id, 'x.y' FROM "+
			"core.platform_owner, generate_series(1, 100000)",
	)
	h.Exec(b, "VACUUM ANALYZE core.permission_grant")
	b.ReportAllocs()
	for b.Loop() {
		if w := h.sendAs(caller, "GET", "/api/v1/grants", ""); w.Code != http.StatusOK {
			b.Fatalf("GET /api/v1/grants: status %d, want 200; body %s", w.Code, w.Body)
		}
	}
}
