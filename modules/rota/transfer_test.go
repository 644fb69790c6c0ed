package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/sdktest"
)

// sendCSV sends a list as CSV.
func (f *fixture) sendCSV(path, list string) *sdktest.Response {
	f.t.Helper()
	request := f.office.Request("POST", path, strings.NewReader(list))
	request.Header.Set("Content-Type", "text/csv")
	return f.office.Send(request)
}

// TestVolunteerList: a list is previewed, then imported completely or not at all, and an export returns the
// same list.
func TestVolunteerList(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	f.volunteer("Reader 1", "Reader")
	list := "\ufeffName;E-Mail;Rollen;Sprache\r\nTea 1;tea1@example.org;Tea, Welcome;de\r\n\"'=1+1\";;;\r\n"
	if got := f.sendCSV("/volunteers/import?preview=1", list); got.String() != `200 {"added":2,"changed":0,`+
		`"unchanged":0,"newRoles":["Tea"],"problems":[],"problemCount":0}` || len(f.board().Volunteers) != 1 {
		t.Fatalf("preview: %s and %d volunteers, want two to be added and nothing changed", got,
			len(f.board().Volunteers))
	}
	if got := f.sendCSV("/volunteers/import", list); got.Status != 200 {
		t.Fatalf("the list: %s, want 200", got)
	}
	var labels []string
	for _, v := range f.board().Volunteers {
		labels = append(labels, v.Label)
	}
	if want := []string{"=1+1", "Reader 1", "Tea 1"}; !slices.Equal(labels, want) {
		t.Errorf("volunteers: %q, want %q", labels, want)
	}
	out := f.do(f.office, "GET", "/volunteers/export", nil, 200).Body
	if !strings.Contains(out, "'=1+1,") {
		t.Errorf("the list is %q, want what looks like a formula to begin with '", out)
	}
	unchanged := `"added":0,"changed":0,"unchanged":3`
	if got := f.sendCSV("/volunteers/import", out); !strings.Contains(got.Body, unchanged) {
		t.Errorf("the same list again: %s, want nothing changed", got)
	}
	for name, c := range map[string]struct{ list, problem string }{
		"without a name":  {"Name,E-mail\n,a@example.org\n", `{"line":2,"code":"NAME_INVALID"}`},
		"with a bad mail": {"Name,E-mail\nA,\nB,two words\n", `{"line":3,"code":"EMAIL_INVALID"}`},
		"with two recipients": {"Name,E-mail\nB,\"a@example.org,b@example.org\"\n",
			`{"line":2,"code":"EMAIL_INVALID"}`},
		"with a line break": {"Name,E-mail\n\"A\nBcc: x\",\n", `{"line":2,"code":"NAME_INVALID"}`},
		"twice":             {"Name,E-mail\nA,\na,\n", `{"line":3,"code":"TWICE"}`},
		"of other columns":  {"Vorname,Ort\nA,B\n", `{"line":1,"code":"COLUMNS_UNKNOWN"}`},
		"in Latin 1":        {"Name\nJ\xf6rg\n", `{"line":1,"code":"NOT_UTF8"}`},
		"that is broken":    {"Name\n\"A\n", `{"line":2,"code":"NOT_CSV"}`},
		"empty":             {"Name\n", `{"line":1,"code":"EMPTY"}`},
	} {
		for path, status := range map[string]int{"/volunteers/import": 400, "/volunteers/import?preview=1": 200} {
			if got := f.sendCSV(path, c.list); got.Status != status || !strings.Contains(got.Body, c.problem) {
				t.Errorf("a list %s to %s: %s, want %d and %s", name, path, got, status, c.problem)
			}
		}
	}
	if n := len(f.board().Volunteers); n != 3 {
		t.Errorf("%d volunteers after refused lists, want 3", n)
	}
	if got := f.sendCSV("/volunteers/import", "Name\n"+strings.Repeat("x", 512<<10)); got.Status != 413 {
		t.Errorf("a list over 512 KiB: %s, want 413", got)
	}
}

// TestExportAndImport: importing an export into an empty installation creates the same data.
func TestExportAndImport(t *testing.T) {
	t.Parallel()
	from, to := newFixture(t, nil), newFixture(t, nil)
	reader := from.volunteer("Reader 1", "Reader", "Welcome")
	from.do(from.member(reader), "PUT", "/mine/away",
		`{"rev":2,"away":[{"from":"2099-07-01","to":"2099-07-14"}]}`, 200)
	from.assign("service-1", "Reader", reader)
	to.do(to.office, "PUT", "/roles", `{"rev":2,"roles":[]}`, 200)
	all := from.do(from.office, "GET", "/export", nil, 200).Body
	if got := to.do(to.office, "POST", "/import?preview=1", all, 200); got.Body != `{"roles":2,"volunteers":1,`+
		`"assignments":1,"problems":[],"problemCount":0}` || len(to.board().Volunteers) != 0 {
		t.Errorf("preview: %s, want what would be written, and nothing written", got)
	}
	to.do(to.office, "POST", "/import", all, 200)
	if got := to.do(to.office, "GET", "/export", nil, 200).Body; got != all {
		t.Errorf("the export after the import is %s, want %s", got, all)
	}
	broken := strings.Replace(all, `"status":"planned"`, `"status":"maybe"`, 1)
	if got := to.office.Do("POST", "/import", broken); got.Status != 400 ||
		!strings.Contains(got.Body, `{"line":1,"code":"ASSIGNMENT_INVALID"}`) {
		t.Errorf("an export with a status that is none: %s, want 400", got)
	}
	to.refused(to.office, "POST", "/import", `{"rota":1}`, 400, "REQUEST_INVALID")
	to.refused(to.Person(), "GET", "/export", nil, 403, "PERMISSION_DENIED")
	if n := len(to.assigned()); n != 1 {
		t.Errorf("%d assignments after refused imports, want 1", n)
	}
}

// TestGuarded: no field of a list is read as a formula, and each comes back as it was.
func TestGuarded(t *testing.T) {
	for _, text := range []string{"=1+1", "+1", "-1", "@x", "\tx", "\rx"} {
		if got := guarded(text); got != "'"+text {
			t.Errorf("guarded(%q): %q, want ' before it", text, got)
		}
	}
	for _, text := range []string{"", "Anna", "'x", "=1+1", "+1", "-1", "@x"} {
		if got := unguarded(guarded(text)); got != text {
			t.Errorf("%q comes back as %q", text, got)
		}
	}
}
