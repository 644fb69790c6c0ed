package main

import (
	"fmt"
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
		`"unchanged":0,"newRoles":["Tea"],"examples":["Tea 1","=1+1"],"problems":[],"problemCount":0,"columns":`+
		`["Name","E-Mail","Rollen","Sprache"],"table":{"rows":[["Name","E-Mail","Rollen","Sprache"],["Tea 1",`+
		`"tea1@example.org","Tea, Welcome","de"],["'=1+1","","",""]],"above":1,"columns":["email","first",`+
		`"language","last","name","roles"],"needed":[["name","first","last"]],`+
		`"at":{"email":1,"language":3,"name":0,"roles":2}}}` || len(f.board().Volunteers) != 1 {
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
		"of other columns": {"Town,Street\nA,B\n", `{"line":0,"code":"COLUMNS_UNKNOWN","detail":"Town, Street"}`},
		"empty":            {"Name\n", `{"line":0,"code":"EMPTY"}`},
	} {
		for path, status := range map[string]int{"/volunteers/import": 400, "/volunteers/import?preview=1": 200} {
			if got := f.sendCSV(path, c.list); got.Status != status || !strings.Contains(got.Body, c.problem) {
				t.Errorf("a list %s to %s: %s, want %d and %s", name, path, got, status, c.problem)
			}
		}
	}
	for name, c := range map[string]struct{ list, problem string }{
		"without a name":      {"Name,E-mail\n,a@example.org\n", `{"line":2,"code":"NAME_INVALID","field":"name"`},
		"with a bad mail":     {"Name,E-mail\nB,two words\n", `{"line":2,"code":"EMAIL_INVALID","field":"email"`},
		"with two recipients": {"Name,E-mail\nB,\"a@example.org,b@example.org\"\n", `"code":"EMAIL_INVALID"`},
		"with a letter alone": {"Name,E-mail\nB,a@\n", `"detail":"a@","row":["B","a@"]`},
		"twice":               {"Name,E-mail\nTea 1,tea1@example.org\ntea 1,tea1@example.org\n", `"code":"TWICE"`},
		"that is broken":      {"Name,E-mail\n\"" + strings.Repeat("x", maxLabel) + ",\n", `"code":"NAME_INVALID"`},
		"with a long role": {"Name,E-mail,Roles\nC,," + strings.Repeat("x", maxRoleName+1) + "\n",
			`"code":"ROLE_INVALID"`},
	} {
		list := c.list + "Tea 1,tea1@example.org,Tea; Welcome\n"
		for _, path := range []string{"/volunteers/import", "/volunteers/import?preview=1"} {
			if got := f.sendCSV(path, list); got.Status != 200 || !strings.Contains(got.Body, c.problem) ||
				!strings.Contains(got.Body, `"added":0,"changed":0,"unchanged":`) {
				t.Errorf("a list %s to %s: %s, want %s, and nothing else changed", name, path, got, c.problem)
			}
		}
	}
	if n := len(f.board().Volunteers); n != 3 {
		t.Errorf("%d volunteers after lists with mistakes, want 3", n)
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

// TestListsOfOtherPrograms: lists in the shapes of other programs come in, a second time without any change.
func TestListsOfOtherPrograms(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ list, want string }{
		"sep= of Excel": {"sep=;\r\nName;E-Mail;Rollen\r\nVolunteer 3;v3@example.org;Reader\r\n",
			"Volunteer 3 <v3@example.org> [Reader]"},
		"Planning Center": {`"Person ID","First Name","Last Name","Home Email","Mobile Phone Number"` + "\n" +
			"1,Ada,One,ada@example.org,555\n2,Ben,Two,,\n", "Ada One <ada@example.org> []; Ben Two <> []"},
		"ChurchTools": {"\ufeff\"Id\";\"Vorname\";\"Nachname\";\"E-Mail-Adresse\";\"Gruppen\"\r\n" +
			"7;J\u00fcrgen;Eins;j@example.org;\"Technik, Chor\"\r\n",
			"Jürgen Eins <j@example.org> [Chor Technik]"},
		"ChurchSuite": {"First name,Last name,Email,Mobile,Ministries\nAda,One,ada@example.org,,Welcome; Tea\n",
			"Ada One <ada@example.org> [Tea Welcome]"},
		"Elvanto": {"First Name,Preferred Name,Last Name,Email Address,Departments\n" +
			"Adelaide,Ada,One,ada@example.org,\n",
			"Adelaide One <ada@example.org> []"},
		"Excel in Windows-1252": {"Vorname;Name;Tel.;E-Mail;Sprache\r\nJ\xfcrgen;M\xfcller;1;;Deutsch\r\n;;;;\r\n",
			"Jürgen Müller <> [] de"},
		"Excel's Unicode text": {"\xff\xfeN\x00a\x00m\x00e\x00\t\x00M\x00a\x00i\x00l\x00\r\x00" +
			"\n\x00A\x00d\x00a\x00\t\x00\r\x00\n\x00",
			"Ada <> []"},
		"an address book": {"Display Name,E-mail\nAda One,Ada One <ada@example.org>\n",
			"Ada One <ada@example.org> []"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, nil)
			f.do(f.office, "PUT", "/roles", `{"rev":2,"roles":[]}`, 200)
			for _, effect := range []string{`"changed":0,"unchanged":0`, `"added":0,"changed":0`} {
				got := f.sendCSV("/volunteers/import", c.list)
				if got.Status != 200 || !strings.Contains(got.Body, effect) {
					t.Fatalf("%s, want 200 and %s", got, effect)
				}
			}
			board := f.board()
			names := make(map[string]string)
			for _, r := range board.Roles {
				names[r.ID] = r.Name
			}
			var all []string
			for _, v := range board.Volunteers {
				var able []string
				for _, id := range v.RoleIDs {
					able = append(able, names[id])
				}
				slices.Sort(able)
				all = append(all, strings.TrimSpace(fmt.Sprintf("%s <%s> %v %s", v.Label, v.Email, able, v.Language)))
			}
			if got := strings.Join(all, "; "); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

// TestListOfUnknownColumns: a preview shows the first rows of a list whose headings nobody knows, and the
// list comes in with the columns that the person has chosen.
func TestListOfUnknownColumns(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	const list = "Wer;Wohin\nAda;ada@example.org\nBen;two words\n"
	got := f.sendCSV("/volunteers/import?preview=1", list)
	for _, want := range []string{`"code":"COLUMNS_UNKNOWN","detail":"Wer, Wohin"`,
		`"rows":[["Wer","Wohin"],["Ada",`, `"above":1`, `"at":{}`} {
		if got.Status != 200 || !strings.Contains(got.Body, want) {
			t.Errorf("preview: %s, want %s", got, want)
		}
	}
	const chosen = "columns=above:1,name:0,email:1"
	got = f.sendCSV("/volunteers/import?preview=1&"+chosen, list)
	if !strings.Contains(got.Body, `"added":1`) || !strings.Contains(got.Body, `"at":{"email":1,"name":0}`) ||
		!strings.Contains(got.Body, `"code":"EMAIL_INVALID"`) ||
		!strings.Contains(got.Body, `"row":["Ben","two words"]`) {
		t.Errorf("preview with a choice: %s, want Ada to be added, and Ben's row with the reason", got)
	}
	if n := len(f.board().Volunteers); n != 0 {
		t.Errorf("%d volunteers after previews, want none", n)
	}
	if got := f.sendCSV("/volunteers/import?"+chosen, list); got.Status != 200 || f.people() != "Ada" {
		t.Errorf("import with a choice: %s, and then there are %q; want Ada", got, f.people())
	}
	for _, none := range []string{"above:1,town:0", "name:0", "above:1,name:0,name:1", "x"} {
		got := f.sendCSV("/volunteers/import?columns="+none, list)
		if got.Status != 400 || !strings.Contains(got.Body, `"code":"COLUMNS_INVALID"`) {
			t.Errorf("columns=%s: %s, want 400 COLUMNS_INVALID", none, got)
		}
	}
	if got := f.sendCSV("/volunteers/import?columns=above:1,email:1", list); got.Status != 400 ||
		!strings.Contains(got.Body, "COLUMNS_UNKNOWN") {
		t.Errorf("a choice without a name: %s, want 400 COLUMNS_UNKNOWN", got)
	}
}

// TestListWithoutRoles: what a list has no column for stays as it is.
func TestListWithoutRoles(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	f.sendCSV("/volunteers/import", "Name,Roles,Language\nAda,Tea,de\n")
	if got := f.sendCSV("/volunteers/import", "Name\nAda\n"); !strings.Contains(got.Body, `"unchanged":1`) {
		t.Errorf("a list of names: %s, want nothing changed", got)
	}
	if v := f.board().Volunteers[0]; len(v.RoleIDs) != 1 || v.Language != "de" {
		t.Errorf("afterwards %+v, want role and language as they were", v)
	}
}

// TestGuarded: no field of a list is read as a formula.
func TestGuarded(t *testing.T) {
	for _, text := range []string{"=1+1", "+1", "-1", "@x", "\tx", "\rx"} {
		if got := guarded(text); got != "'"+text {
			t.Errorf("guarded(%q): %q, want ' before it", text, got)
		}
	}
}
