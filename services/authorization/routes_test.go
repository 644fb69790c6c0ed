package authorization_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/principal"
)

const unknownID = "00000000-0000-4000-8000-000000000000"

func TestGates(t *testing.T) {
	t.Parallel()
	routes := setup(t).service.Routes()
	if len(routes) != 5 {
		t.Errorf("%d routes, want 5", len(routes))
	}
	for _, route := range routes {
		if route.Permission != grants || route.Head {
			t.Errorf("%s %s: %+v, want the permission %s and no HEAD", route.Method, route.Path, route, grants)
		}
		if write := route.Method != "GET"; write != (route.Origin == httpapi.TrustedOrigin) ||
			write != (route.Body == httpapi.WholeBody) ||
			write != (route.MaxBody == 16384) {
			t.Errorf(
				"%s %s: %+v, want an origin gate and a body limit for writes only", route.Method, route.Path, route,
			)
		}
	}
}

// A caller without the permission is refused before the request is checked and before any query for grants.
func TestPermissionComesFirst(t *testing.T) {
	t.Parallel()
	h := setup(t)
	person := principal.Person(h.person(t, "a@example.org"))
	h.Exec(
		t,
		"INSERT INTO core.permission_grant (person_id, permission_id) VALUES ($1, $2)",
		person.UserID,
		manage,
	)
	for _, who := range []principal.Principal{{}, person, {Kind: principal.Device, DeviceID: unknownID}} {
		for _, row := range [][3]string{
			{"GET", "/api/v1/permissions"}, {"GET", "/api/v1/grants?x=y"}, {"GET", "/api/v1/grants/x"},
			{"POST", "/api/v1/grants", "{"}, {"POST", "/api/v1/grants/x/revoke", "{"},
		} {
			assertCode(t, h.send(who, row[0], row[1], row[2]), http.StatusForbidden, "PERMISSION_DENIED")
		}
	}
	h.assertRows(t, 1, 0)
}

func TestBodyLimitComesBeforePermission(t *testing.T) {
	t.Parallel()
	h := setup(t)
	body := grantBody(unknownID, manage, "")
	longest := body + strings.Repeat(" ", 16384-len(body))
	owner := h.owner(t)
	assertCode(t, h.send(owner, "POST", "/api/v1/grants", longest), http.StatusNotFound, "USER_NOT_FOUND")
	for _, path := range []string{"/api/v1/grants", "/api/v1/grants/" + unknownID + "/revoke"} {
		assertCode(
			t,
			h.send(principal.Principal{}, "POST", path, longest+" "),
			http.StatusRequestEntityTooLarge,
			"REQUEST_BODY_TOO_LARGE",
		)
	}
}

func TestPermissions(t *testing.T) {
	t.Parallel()
	h := setup(t)
	w := h.send(h.owner(t), "GET", "/api/v1/permissions", "")
	assertResponse(t, w, http.StatusOK, `{"permissions":[`+
		`{"id":"core.authorization.grants.manage","baseline":"restricted","moduleId":null,"description":"Give `+
		`and revoke permissions"},`+
		`{"id":"test.things.manage","baseline":"restricted","moduleId":"test","description":null},`+
		`{"id":"test.things.purge","baseline":"restricted","moduleId":"test","description":null},`+
		`{"id":"test.things.read","baseline":"authenticated","moduleId":"test","description":"See \"things\""}]}`)
	if header := w.Header(); header.Get("Cache-Control") != "no-store" ||
		header.Get("Content-Type") != "application/json" {
		t.Errorf("header %v, want Cache-Control no-store and application/json", header)
	}
}

// A malformed id is refused before the body is read and before any query.
func TestMalformedID(t *testing.T) {
	t.Parallel()
	h := setup(t)
	owner := h.service.Caller(h.owner(t))
	if !allowed(t, owner, grants) {
		t.Fatal("the owner may not")
	}
	h.breakStore(t)
	for _, id := range []string{
		"x", "00000000-0000-4000-8000-00000000000", "00000000-0000-4000-8000-0000000000000",
		"00000000000040008000000000000000",
		"00000000-0000-4000-8000-00000000000A", "{00000000-0000-4000-8000-000000000000}",
		"urn:uuid:00000000-0000-4000-8000-000000000000",
		"00000000-0000-4000-8000-00000000000g", "00000000_0000_4000_8000_000000000000", "%20", "'",
	} {
		assertCode(t, h.sendAs(owner, "GET", "/api/v1/grants/"+id, ""), http.StatusBadRequest, "REQUEST_INVALID")
		assertCode(
			t,
			h.sendAs(owner, "POST", "/api/v1/grants/"+id+"/revoke", "{"),
			http.StatusBadRequest,
			"REQUEST_INVALID",
		)
	}
	assertCode(
		t,
		h.sendAs(owner, "POST", "/api/v1/grants/"+unknownID+"/revoke", "{"),
		http.StatusBadRequest,
		"REQUEST_INVALID",
	)
	assertCode(
		t,
		h.sendAs(owner, "GET", "/api/v1/grants/"+unknownID, ""),
		http.StatusServiceUnavailable,
		"STORE_UNAVAILABLE",
	)
}

func TestRead(t *testing.T) {
	t.Parallel()
	h := setup(t)
	owner := h.owner(t)
	person := h.person(t, "a@example.org")
	assertCode(
		t,
		h.send(owner, "GET", "/api/v1/grants/"+unknownID, ""),
		http.StatusNotFound,
		"GRANT_NOT_FOUND",
	)

	id := h.insert(
		t,
		person,
		"gone.module.read",
		", created_at, expires_at, revoked_at, created_by",
		", '2026-01-02 03:04:05.678999Z', '9999-12-31 23:59:59.999999Z', '2026-01-02 05:04:05+02', '"+
			owner.UserID+"'",
	)
	assertResponse(
		t,
		h.send(owner, "GET", "/api/v1/grants/"+id, ""),
		http.StatusOK,
		`{"id":"`+id+`","userId":"`+person+`","permissionId":"gone.module.read","scope":null,`+
			`"source":{"kind":"explicit","reference":null},`+
			`"expiresAt":"9999-12-31T23:59:59.999Z","revokedAt":"2026-01-02T03:04:05.000Z",`+
			`"createdAt":"2026-01-02T03:04:05.678Z","createdBy":"`+owner.UserID+`","orphaned":true}`,
	)

	id = h.insert(
		t,
		person,
		manage,
		", created_at, scope, source_kind, source_reference",
		", '2026-01-02 03:04:05Z', 's', 'k', 'r'",
	)
	assertResponse(
		t,
		h.send(owner, "GET", "/api/v1/grants/"+id, ""),
		http.StatusOK,
		`{"id":"`+id+`","userId":"`+person+`","permissionId":"test.things.manage","scope":"s",`+
			`"source":{"kind":"k","reference":"r"},`+
			`"expiresAt":null,"revokedAt":null,"createdAt":"2026-01-02T03:04:05.000Z","createdBy":null}`,
	)
}

var times = regexp.MustCompile(`"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"`)

func TestIssued(t *testing.T) {
	t.Parallel()
	h := setup(t)
	owner := h.owner(t)
	person := h.person(t, "a@example.org")
	rows := []struct{ permission, more, expiresAt string }{
		{manage, "", "null"},
		{read, "", "null"}, // a permission of all signed-in people may be granted too
		{purge, `,"expiresAt":"2096-02-29T23:59:59.001Z"`, `"2096-02-29T23:59:59.001Z"`},
	}
	for i, row := range rows {
		w := h.send(owner, "POST", "/api/v1/grants", grantBody(person, row.permission, row.more))
		id := decode[struct {
			ID string `json:"id"`
		}](t, w).ID
		created := times.FindAllString(w.Body.String(), -1)
		assertResponse(
			t,
			w,
			http.StatusCreated,
			`{"id":"`+id+`","userId":"`+person+`","permissionId":"`+row.permission+
				`","scope":null,"source":{"kind":"explicit","reference":null},"expiresAt":`+row.expiresAt+
				`,"revokedAt":null,"createdAt":`+created[len(created)-1]+`,"createdBy":"`+owner.UserID+`"}`,
		)
		assertResponse(t, h.send(owner, "GET", "/api/v1/grants/"+id, ""), http.StatusOK, w.Body.String())
		if !allowed(t, h.service.Caller(principal.Person(person)), row.permission) {
			t.Errorf("%s was granted and is not allowed", row.permission)
		}
		h.assertRows(t, i+1, i+1)
		if n := h.count(t, `core.permission_grant_audit JOIN core.permission_grant g ON g.id = grant_id
			WHERE grant_id = $1 AND actor_id = $2 AND action = 'issued' AND at = created_at 
				AND at BETWEEN now() - interval '1 minute' AND now()`,
			id, owner.UserID); n != 1 {
			t.Errorf("%d audit rows of %s, want 1", n, row.permission)
		}
	}
}

func TestIssueRefusals(t *testing.T) {
	t.Parallel()
	h := setup(t)
	owner := h.owner(t)
	person := h.person(t, "a@example.org")
	ends := func(at string) string { return grantBody(person, manage, `,"expiresAt":`+at) }
	rows := []struct {
		name, body string
		status     int
		code       string
	}{
		{"nothing", "", 400, "REQUEST_INVALID"},
		{"an empty object", "{}", 400, "REQUEST_INVALID"},
		{"no permission", `{"userId":"` + person + `"}`, 400, "REQUEST_INVALID"},
		{"scope null", grantBody(person, manage, `,"scope":null`), 400, "REQUEST_INVALID"},
		{"scope empty", grantBody(person, manage, `,"scope":""`), 400, "REQUEST_INVALID"},
		{"scope object", grantBody(person, manage, `,"scope":{}`), 400, "REQUEST_INVALID"},
		{"scope text", grantBody(person, manage, `,"scope":"x"`), 400, "REQUEST_INVALID"},
		{"permission twice", grantBody(person, manage, `,"permissionId":"`+manage+`"`), 400, "REQUEST_INVALID"},
		{"scope beside an unknown permission", grantBody(person, "x.y", `,"scope":null`), 400, "REQUEST_INVALID"},
		{"a source", grantBody(person, manage, `,"source":{"kind":"explicit"}`), 400, "REQUEST_INVALID"},
		{
			"miscased",
			strings.Replace(grantBody(person, manage, ""), "userId", "userID", 1),
			400,
			"REQUEST_INVALID",
		},
		{"user in capitals", grantBody(strings.ToUpper(person), manage, ""), 400, "REQUEST_INVALID"},
		{
			"user without hyphens",
			grantBody(strings.ReplaceAll(person, "-", ""), manage, ""),
			400,
			"REQUEST_INVALID",
		},
		{"user empty", grantBody("", manage, ""), 400, "REQUEST_INVALID"},
		{"user in braces", grantBody("{"+person+"}", manage, ""), 400, "REQUEST_INVALID"},
		{"malformed user of an unknown permission", grantBody("x", "x.y", ""), 400, "REQUEST_INVALID"},
		{"unknown permission", grantBody(person, "x.y", ""), 400, "PERMISSION_UNKNOWN"},
		{"empty permission", grantBody(person, "", ""), 400, "PERMISSION_UNKNOWN"},
		{"permission with a NUL", grantBody(person, `a\u0000b`, ""), 400, "PERMISSION_UNKNOWN"},
		{"unknown permission of an unknown user", grantBody(unknownID, "x.y", ""), 400, "PERMISSION_UNKNOWN"},
		{"unknown user", grantBody(unknownID, manage, ""), 404, "USER_NOT_FOUND"},
		{
			"unknown user, past end",
			grantBody(unknownID, manage, `,"expiresAt":"2020-01-01T00:00:00.000Z"`),
			400,
			"REQUEST_INVALID",
		},
		{"end null", ends(`null`), 400, "REQUEST_INVALID"},
		{"end empty", ends(`""`), 400, "REQUEST_INVALID"},
		{"end a number", ends(`4102444800000`), 400, "REQUEST_INVALID"},
		{"past", ends(`"2020-01-01T00:00:00.000Z"`), 400, "REQUEST_INVALID"},
		{"long past", ends(`"0001-01-01T00:00:00.000Z"`), 400, "REQUEST_INVALID"},
		{"year 0", ends(`"0000-01-01T00:00:00.000Z"`), 400, "REQUEST_INVALID"},
		{"five digits", ends(`"10000-01-01T00:00:00.000Z"`), 400, "REQUEST_INVALID"},
		{"a signed year", ends(`"+010000-01-01T00:00:00.000Z"`), 400, "REQUEST_INVALID"},
		{"no such day", ends(`"2095-02-29T00:00:00.000Z"`), 400, "REQUEST_INVALID"},
		{"April 31", ends(`"2095-04-31T00:00:00.000Z"`), 400, "REQUEST_INVALID"},
		{"hour 24", ends(`"2095-01-01T24:00:00.000Z"`), 400, "REQUEST_INVALID"},
		{"leap second", ends(`"2095-12-31T23:59:60.000Z"`), 400, "REQUEST_INVALID"},
		{"date alone", ends(`"2095-01-01"`), 400, "REQUEST_INVALID"},
		{"an offset", ends(`"2095-01-01T00:00:00.000+00:00"`), 400, "REQUEST_INVALID"},
		{"no milliseconds", ends(`"2095-01-01T00:00:00Z"`), 400, "REQUEST_INVALID"},
		{"two digits", ends(`"2095-01-01T00:00:00.00Z"`), 400, "REQUEST_INVALID"},
		{"microseconds", ends(`"2095-01-01T00:00:00.000000Z"`), 400, "REQUEST_INVALID"},
		{"a comma", ends(`"2095-01-01T00:00:00,000Z"`), 400, "REQUEST_INVALID"},
		{"small emails", ends(`"2095-01-01t00:00:00.000z"`), 400, "REQUEST_INVALID"},
		{"no Z", ends(`"2095-01-01T00:00:00.000"`), 400, "REQUEST_INVALID"},
		{"space around", ends(`" 2095-01-01T00:00:00.000Z "`), 400, "REQUEST_INVALID"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			assertCode(t, h.send(owner, "POST", "/api/v1/grants", row.body), row.status, row.code)
		})
	}
	h.assertRows(t, 0, 0)
}

// Only an effective grant with the same person, permission, scope and source makes a new grant a conflict.
func TestEquivalents(t *testing.T) {
	t.Parallel()
	h := setup(t)
	owner := h.owner(t)
	rows := []struct {
		name, columns, values string
		blocks                bool
	}{
		{"effective", "", "", true},
		{"effective for a while", ", expires_at", ", now() + interval '1 hour'", true},
		{"by somebody else", ", created_by", ", $1", true},
		{"expired", ", expires_at", ", now() - interval '1 second'", false},
		{"revoked", ", revoked_at", ", now()", false},
		{"of a scope", ", scope", ", ''", false},
		{"of another source", ", source_kind", ", 'membership'", false},
		{"with a reference", ", source_reference", ", ''", false},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			person := h.person(t, strings.ReplaceAll(row.name, " ", "")+"@example.org")
			h.insert(t, person, manage, row.columns, row.values)
			// Grants that differ only in expiresAt are equivalent.
			for _, end := range []string{"", `,"expiresAt":"2095-01-01T00:00:00.000Z"`} {
				w := h.send(owner, "POST", "/api/v1/grants", grantBody(person, manage, end))
				if row.blocks || end != "" {
					assertCode(t, w, http.StatusConflict, "AUTHORIZATION_GRANT_ALREADY_EXISTS")
				} else if w.Code != http.StatusCreated {
					t.Errorf("issue: status %d, want 201; body %s", w.Code, w.Body)
				}
			}
			made := 1
			if row.blocks {
				made = 0
			}
			if n := h.count(
				t, "core.permission_grant_audit JOIN core.permission_grant g ON g.id = grant_id WHERE person_id = $1",
				person,
			); n != made {
				t.Errorf("%d audit rows, want %d", n, made)
			}
			if n := h.count(t, "core.permission_grant WHERE person_id = $1", person); n != 1+made {
				t.Errorf("%d grants, want %d", n, 1+made)
			}
		})
	}
}

// A grant lasts no longer than its issuer's own right to give it.
func TestGrantOutlivesNoRight(t *testing.T) {
	t.Parallel()
	h := setup(t)
	issuer, other := h.person(t, "anna@example.org"), h.person(t, "bert@example.org")
	h.insert(t, issuer, grants, ", expires_at", ", '2198-01-01'")
	for more, status := range map[string]int{
		``: 403,
		`,"expiresAt":"2198-01-01T00:00:00.001Z"`: 403,
		`,"expiresAt":"2198-01-01T00:00:00.000Z"`: 201,
	} {
		w := h.send(principal.Person(issuer), "POST", "/api/v1/grants", grantBody(other, manage, more))
		if w.Code != status {
			t.Errorf("a grant with %q: status %d, want %d; body %s", more, w.Code, status, w.Body)
		}
	}
	assertCode(t, h.send(principal.Person(issuer), "POST", "/api/v1/grants", grantBody(issuer, grants, "")),
		403, "PERMISSION_DENIED")
}
