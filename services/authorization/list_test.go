package authorization_test

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/services/authorization"
	"github.com/narthex-platform/narthex/services/principal"
)

// listed is a page as a client decodes it.
type listed struct {
	Grants []struct {
		ID        string `json:"id"`
		CreatedAt string `json:"createdAt"`
	} `json:"grants"`
	NextCursor *string `json:"nextCursor"`
}

func (l listed) ids() (ids []string) {
	for _, grant := range l.Grants {
		ids = append(ids, grant.ID)
	}
	return ids
}

func (h harness) page(t testing.TB, who principal.Principal, query string) listed {
	t.Helper()
	w := h.send(who, "GET", "/api/v1/grants?"+query, "")
	if w.Code != http.StatusOK {
		t.Fatalf("GET /api/v1/grants?%s: status %d, want 200; body %s", query, w.Code, w.Body)
	}
	return decode[listed](t, w)
}

func TestList(t *testing.T) {
	t.Parallel()
	h := setup(t)
	owner := h.owner(t)
	assertResponse(
		t,
		h.send(owner, "GET", "/api/v1/grants", ""),
		http.StatusOK,
		`{"grants":[],"nextCursor":null}`,
	)

	a, b := h.person(t, "a@example.org"), h.person(t, "b@example.org")
	at := func(second string) string { return ", '2026-01-01 00:00:" + second + "Z'" }
	oldest := h.insert(t, a, manage, ", created_at, expires_at", at("01")+", now() - interval '1 day'")
	revoked := h.insert(t, a, purge, ", created_at, revoked_at", at("02")+", now()")
	scoped := h.insert(t, b, manage, ", created_at, scope", at("02.000001")+", 'x'")
	gone := h.insert(t, b, "gone.module.read", ", created_at", at("03"))
	h.insert(t, a, manage, ", created_at, source_kind", at("02.000001")+", 'membership'")

	all := []string{gone, scoped, revoked, oldest}
	last := time.Date(9999, 12, 31, 23, 59, 59, 999999000, time.UTC)
	first := time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)
	for query, want := range map[string][]string{
		"":                                       all,
		"limit=200":                              all,
		"limit=4":                                all,
		"userId=" + a:                            {revoked, oldest},
		"userId=" + b + "&limit=2":               {gone, scoped},
		"permissionId=" + manage:                 {scoped, oldest},
		"permissionId=gone.module.read":          {gone},
		"permissionId=never.declared":            nil,
		"userId=" + unknownID:                    nil,
		"userId=" + a + "&permissionId=" + purge: {revoked},
		"permissionId=" + strings.Repeat("%C3%A4", 200):      nil,
		"cursor=" + authorization.CursorAt(last, unknownID):  all,
		"cursor=" + authorization.CursorAt(first, unknownID): nil,
	} {
		page := h.page(t, owner, query)
		if !slices.Equal(page.ids(), want) || page.NextCursor != nil {
			t.Errorf("%q: got %v, %v, want %v", query, page.ids(), page.NextCursor, want)
		}
	}
	for limit := range 3 { // one by one, two by two, three by three
		var got []string
		query := "limit=" + string(rune('1'+limit))
		for next := query; next != "" && len(got) <= len(all); {
			page := h.page(t, owner, next)
			got = append(got, page.ids()...)
			next = ""
			if page.NextCursor != nil {
				if len(page.Grants) != limit+1 {
					t.Errorf("a page that is not the last has %d grants, want %d", len(page.Grants), limit+1)
				}
				next = query + "&cursor=" + *page.NextCursor
			}
		}
		if !slices.Equal(got, all) {
			t.Errorf("%s: got %v, want %v", query, got, all)
		}
	}
}

// A grant is in force from the millisecond in which it was issued until the millisecond in which it ends.
func TestInForceAt(t *testing.T) {
	t.Parallel()
	h := setup(t)
	owner := h.owner(t)
	a, b := h.person(t, "a@example.org"), h.person(t, "b@example.org")
	second := func(s string) string { return "'2026-01-01 00:00:" + s + "Z'" }
	lasting := h.insert(t, a, manage, ", created_at", ", "+second("10.0005"))
	ended := h.insert(t, a, purge, ", created_at, expires_at", ", "+second("10")+", "+second("20"))
	revoked := h.insert(t, b, manage, ", created_at, expires_at, revoked_at",
		", "+second("11")+", "+second("40")+", "+second("30.0005"))
	for query, want := range map[string][]string{
		"09.999":                         nil,
		"10.000":                         {lasting, ended},
		"11.000":                         {revoked, lasting, ended},
		"19.999":                         {revoked, lasting, ended},
		"20.000":                         {revoked, lasting},
		"29.999":                         {revoked, lasting},
		"30.000":                         {lasting},
		"45.000":                         {lasting},
		"19.000Z&userId=" + a:            {lasting, ended},
		"19.000Z&permissionId=" + manage: {revoked, lasting},
		"19.000Z&permissionId=" + manage + "&userId=" + b: {revoked},
		"30.000Z&permissionId=" + manage + "&userId=" + b: nil,
	} {
		if !strings.Contains(query, "Z") {
			query += "Z"
		}
		if got := h.page(t, owner, "at=2026-01-01T00:00:"+query).ids(); !slices.Equal(got, want) {
			t.Errorf("at second %s: got %v, want %v", query, got, want)
		}
	}
	page := h.page(t, owner, "at=2026-01-01T00:00:19.000Z&limit=2")
	next := h.page(t, owner, "at=2026-01-01T00:00:19.000Z&limit=2&cursor="+*page.NextCursor)
	if !slices.Equal(append(page.ids(), next.ids()...), []string{revoked, lasting, ended}) {
		t.Errorf("pages %v and %v, want %s, %s and %s", page.ids(), next.ids(), revoked, lasting, ended)
	}
}

func TestDefaultLimit(t *testing.T) {
	t.Parallel()
	h := setup(t)
	owner := h.owner(t)
	h.Exec(
		t,
		"INSERT INTO core.permission_grant (person_id, permission_id) SELECT $1, 'x.y' FROM generate_series(1, "+
			"201)",
		owner.UserID,
	)
	if page := h.page(t, owner, ""); len(page.Grants) != 50 || page.NextCursor == nil {
		t.Errorf("without a limit: %d grants, want 50 and a next page", len(page.Grants))
	}
	page := h.page(t, owner, "limit=200")
	if len(page.Grants) != 200 || page.NextCursor == nil {
		t.Fatalf("limit=200: %d grants, want 200 and a next page", len(page.Grants))
	}
	if page := h.page(t, owner, "cursor="+*page.NextCursor); len(page.Grants) != 1 || page.NextCursor != nil {
		t.Errorf("after 200 of 201: %d grants, want 1 and no next page", len(page.Grants))
	}
}

// Every refusal has the same response and does not query the store.
func TestListRefusals(t *testing.T) {
	t.Parallel()
	h := setup(t)
	owner := h.service.Caller(h.owner(t))
	if !allowed(t, owner, grants) {
		t.Fatal("the owner may not")
	}
	h.breakStore(t)
	good := authorization.CursorAt(time.Now(), unknownID)
	raw, err := base64.RawURLEncoding.DecodeString(good)
	if err != nil {
		t.Fatal(err)
	}
	changed := func(change func([]byte) []byte) string {
		return base64.RawURLEncoding.EncodeToString(change(slices.Clone(raw)))
	}
	assertCode(
		t,
		h.sendAs(owner, "GET", "/api/v1/grants?cursor="+good, ""),
		http.StatusServiceUnavailable,
		"STORE_UNAVAILABLE",
	)
	for _, query := range []string{
		"x=1", "userid=" + unknownID, "UserId=" + unknownID, "limit=1&limit=1", "limit=1&limit=2", "a;b", "%zz",
		"limit=%zz", "=1", "limit",
		"limit=", "limit=0", "limit=201", "limit=-1", "limit=+1", "limit=01", "limit=1.0", "limit=1e2",
		"limit=99999999999999999999", "limit=%201",
		"at=", "at=now", "at=2026-01-01", "at=2026-01-01T00:00:00Z", "at=2026-01-01T00:00:00.000%2B00:00",
		"at=2026-02-30T00:00:00.000Z", "at=2026-01-01T00:00:00.000Z&at=2026-01-01T00:00:00.000Z",
		"userId=", "userId=x", "userId=" + strings.ToUpper("abcdefab-0000-4000-8000-000000000000"),
		"userId=" + strings.ReplaceAll(unknownID, "-", ""),
		"permissionId=", "permissionId=a%00b", "permissionId=a%0Ab", "permissionId=%7F", "permissionId=%C2%85",
		"permissionId=%FF",
		"permissionId=" + strings.Repeat("a", 201), "scope=", "offset=1",
		"cursor=", "cursor=x", "cursor=%20", "cursor=" + good[1:], "cursor=" + good + "A", "cursor=" + good + "=",
		"cursor=" + good + "%0A",
		"cursor=" + good[:10] + "%0D%0A" + good[10:], "cursor=" + good + "&cursor=" + good,
		"cursor=" + strings.Repeat("A", 100000),
		"cursor=" + good[:len(good)-1] + string(good[len(good)-1]+1), // spare bits, or another digit's case
		"cursor=" + changed(func(b []byte) []byte { b[0] = 0; return b }),
		"cursor=" + changed(func(b []byte) []byte { b[0] = 2; return b }),
		"cursor=" + changed(func(b []byte) []byte { b[1] = 0x7f; return b }),
		"cursor=" + changed(func(b []byte) []byte { b[1] = 0x80; return b }),
		"cursor=" + changed(func(b []byte) []byte { return b[:24] }),
		"cursor=" + changed(func(b []byte) []byte { return append(b, 0) }),
		"cursor=" + authorization.CursorAt(time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), unknownID),
		"cursor=" + authorization.CursorAt(time.Date(0, 12, 31, 23, 59, 59, 0, time.UTC), unknownID),
	} {
		w := h.sendAs(owner, "GET", "/api/v1/grants?"+query, "")
		if w.Code != http.StatusBadRequest || w.Body.String() != `{"code":"REQUEST_INVALID"}` {
			t.Errorf("GET /api/v1/grants?%.60s: status %d, want 400 REQUEST_INVALID; body %s", query, w.Code,
				w.Body)
		}
	}
}
