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
		`"tea1@example.org","Tea, Welcome","de"],["'=1+1","","",""]],"above":1,"columns":["called","email",`+
		`"first","language","last","name","otherEmail","roles"],"needed":[["name","first","called","last"]],`+
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
	if got := to.do(to.office, "POST", "/import?preview=1", all, 200); got.Body != `{"roles":2,"needs":0,`+
		`"volunteers":1,"assignments":1,"problems":[],"problemCount":0}` || len(to.board().Volunteers) != 0 {
		t.Errorf("preview: %s, want what would be written, and nothing written", got)
	}
	to.do(to.office, "POST", "/import", all, 200)
	if got := to.do(to.office, "GET", "/export", nil, 200).Body; got != all {
		t.Errorf("the export after the import is %s, want %s", got, all)
	}
	to.refused(to.Person(), "GET", "/export", nil, 403, "PERMISSION_DENIED")
	long := `{"rota":1,"volunteers":[` + strings.Repeat("0,", maxListed) + `0]}`
	for _, none := range []string{"", "{}", `{"rota":2}`, `[{"rota":1}]`, `{"rota":1}{}`,
		`{"rota":1,"songs":[]}`, `{"rota":1,"roles":{}}`, `{"rota":1,"roles":[`, long,
		strings.TrimSuffix(all, "}")} {
		if got := to.office.Do("POST", "/import", none); got.Status != 400 ||
			!strings.Contains(got.Body, `"problems":[{"line":0,"code":"NOT_AN_EXPORT"}]`) {
			t.Errorf("%.100s: %s, want 400 NOT_AN_EXPORT", none, got)
		}
	}
	if got := to.do(to.office, "GET", "/export", nil, 200).Body; got != all {
		t.Errorf("after refused imports: %s, want nothing changed", got)
	}
}

// TestImportOfADamagedArchive: what is damaged, what is there twice and what refers to nothing is named with
// its position, and stops nothing else. Volunteers and roles of the same names are those that are here. A
// second import changes nothing.
func TestImportOfADamagedArchive(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	here := f.volunteer("Here", "Reader")
	reader := here.RoleIDs[0]
	id := func(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) }
	role := func(n int, name string) string { return fmt.Sprintf(`{"id":%q,"name":%q}`, id(n), name) }
	person := func(n int, name, email, more string) string {
		return fmt.Sprintf(`{"id":%q,"label":%q,"email":%q,"language":"","digest":false%s}`, id(n), name, email,
			more)
	}
	duty := func(role, person, status string) string {
		return fmt.Sprintf(`{"serviceId":"service-1","roleId":%q,"volunteerId":%q,"status":%q}`, role, person,
			status)
	}
	need := func(role string, needed int) string {
		return fmt.Sprintf(`{"serviceId":"service-1","roleId":%q,"needed":%d}`, role, needed)
	}
	file := `{"rota":1,"roles":[` + strings.Join([]string{
		role(1, "Tea"), role(2, "reader"), role(3, ""), role(1, "Again"), role(4, "TEA"),
		`{"id":"` + id(5) + `","name":"Newer","colour":"red"}`, `7`,
		fmt.Sprintf(`{"id":%q,"name":"welcome"}`, reader),
	}, ",") + `],"needs":[` + strings.Join([]string{
		need(id(1), 2), need(id(2), 3), need(id(3), 1), need(id(1), 4), need(id(1), 99), need(id(4), 5),
	}, ",") + `],"volunteers":[` + strings.Join([]string{
		person(11, "Ada", "", `,"roleIds":["`+id(1)+`","`+id(3)+`"],"pairs":[{"id":"`+id(12)+`","apart":true},`+
			`{"id":"`+id(13)+`","apart":false},{"id":"`+here.ID+`","apart":false}]`),
		person(12, "HERE", here.Email, `,"roleIds":["`+id(2)+`","`+id(4)+`"]`),
		person(13, "Nobody", "two words", ""),
		person(11, "Twice", "", ""),
		person(14, "ada", "", ""),
		`{"label":7}`,
		person(15, "Away", "", `,"away":[{"from":"2099-02-30","to":"2099-03-01"}]`),
	}, ",") + `],"assignments":[` + strings.Join([]string{
		duty(id(1), id(11), "yes"), duty(id(2), id(12), "maybe"), duty(id(2), id(13), "yes"),
		duty(id(3), id(11), "yes"), duty(id(2), id(12), "planned"), duty(id(4), id(14), "no"), `{}`,
	}, ",") + `]}`
	const found = `,"problems":[],"problemCount":0,"skipped":[` +
		`{"line":3,"code":"ROLE_INVALID"},{"line":6,"code":"ROLE_INVALID","detail":"Newer"},` +
		`{"line":7,"code":"ROLE_INVALID"},{"line":5,"code":"NEED_INVALID"},` +
		`{"line":3,"code":"VOLUNTEER_INVALID","detail":"Nobody"},{"line":6,"code":"VOLUNTEER_INVALID"},` +
		`{"line":7,"code":"VOLUNTEER_INVALID","detail":"Away"},{"line":2,"code":"ASSIGNMENT_INVALID"},` +
		`{"line":7,"code":"ASSIGNMENT_INVALID"},` +
		`{"line":8,"code":"ROLE_INVALID","detail":"welcome"},` +
		`{"line":4,"code":"ROLE_INVALID","detail":"Again"},{"line":5,"code":"ROLE_INVALID","detail":"TEA"},` +
		`{"line":4,"code":"VOLUNTEER_INVALID","detail":"Twice"},` +
		`{"line":5,"code":"VOLUNTEER_INVALID","detail":"ada"},` +
		`{"line":3,"code":"NEED_INVALID"},{"line":4,"code":"NEED_INVALID"},{"line":6,"code":"NEED_INVALID"},` +
		`{"line":3,"code":"ASSIGNMENT_INVALID","detail":"service-1"},` +
		`{"line":4,"code":"ASSIGNMENT_INVALID","detail":"Ada"},` +
		`{"line":6,"code":"ASSIGNMENT_INVALID","detail":"Ada"}],"skippedCount":20,"notes":[` +
		`{"line":1,"code":"ROLE_MISSING","detail":"Ada"},{"line":1,"code":"PAIR_MISSING","detail":"Ada"}],` +
		`"noteCount":2}`
	for _, query := range []string{"?preview=1", ""} {
		const want = `{"roles":2,"needs":2,"volunteers":2,"assignments":2` + found
		if got := f.office.Do("POST", "/import"+query, file); got.Status != 200 || got.Body != want {
			t.Errorf("POST /import%s: %s, want %s", query, got, want)
		}
	}
	const again = `{"roles":0,"needs":0,"volunteers":0,"assignments":0,"problems":[],"problemCount":0,"skipped":`
	if got := f.do(f.office, "POST", "/import", file, 200).Body; !strings.HasPrefix(got, again) ||
		!strings.Contains(got, `"skippedCount":20,`) || !strings.HasSuffix(got, `"noteCount":2}`) {
		t.Errorf("the second import: %s, want nothing changed and the same left out", got)
	}
	if got := f.people(); got != "Ada Tea, HERE Tea+reader" {
		t.Errorf("there are %s, want Ada and Here, each once", got)
	}
	b := f.board()
	if n := len(f.assigned()); n != 2 || len(b.Volunteers[0].Pairs) != 1 || !b.Volunteers[0].Pairs[0].Apart ||
		len(b.Volunteers[1].Pairs) != 1 || b.Volunteers[1].Pairs[0].ID != id(11) {
		t.Errorf("%d assignments, and the volunteers %+v; want two assignments, and a pair", n, b.Volunteers)
	}
}

// TestArchivesOfOlderVersions: an archive from before there were numbers of people, wishes, pairs and moved
// services comes in completely, and a second time changes nothing.
func TestArchivesOfOlderVersions(t *testing.T) {
	t.Parallel()
	const id = "00000000-0000-4000-8000-00000000000"
	const first = `{"rota":1,"roles":[{"id":"` + id + `1","name":"Tea"}],"volunteers":[{"id":"` + id +
		`2","label":"Ada","email":"ada@example.org","language":"de","digest":true,"roleIds":["` + id + `1"],` +
		`"away":[{"from":"2099-07-01","to":"2099-07-14"}]}],"assignments":[{"serviceId":"service-1","roleId":"` +
		id + `1","volunteerId":"` + id + `2","status":"yes"}]}`
	numbers := strings.Replace(first, `"Tea"}],`, `"Tea","needed":2}],"needs":[{"serviceId":"service-1",`+
		`"roleId":"`+id+`1","needed":3}],`, 1)
	wishes := strings.Replace(numbers, `"2099-07-14"}]}`, `"2099-07-14"}],"wishes":[{"from":"2099-08-01",`+
		`"to":"2099-08-02"}],"perMonth":2,"pairs":[]}`, 1)
	for name, file := range map[string]string{
		"the first": first, "with numbers": numbers, "with wishes": wishes,
	} {
		f := newFixture(t, nil)
		all := `{"roles":1,"needs":1,"volunteers":1,"assignments":1,"problems":[],"problemCount":0}`
		if name == "the first" {
			all = strings.Replace(all, `"needs":1`, `"needs":0`, 1)
		}
		for _, want := range []string{all, `{"roles":0,"needs":0,"volunteers":0,"assignments":0,"problems":[],` +
			`"problemCount":0}`} {
			if got := f.do(f.office, "POST", "/import", file, 200).Body; got != want {
				t.Errorf("%s: %s, want %s", name, got, want)
			}
		}
	}
}

// TestArchiveOfTooMuch: what is more than the rota takes is left out and named, and the rest comes in.
func TestArchiveOfTooMuch(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil) // with two roles
	id := func(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) }
	var roles, people []string
	for n := range maxRoles {
		roles = append(roles, fmt.Sprintf(`{"id":%q,"name":"Role %d"}`, id(n), n))
	}
	for n := range maxPairs + 3 { // each of them is in a pair with the last one
		people = append(people, fmt.Sprintf(`{"id":%q,"label":"P%d","email":"p%d@example.org","language":"",`+
			`"digest":%t,"pairs":[{"id":%q}]}`, id(100+n), n, n, n <= maxDigest, id(100+maxPairs+2)))
	}
	file := `{"rota":1,"roles":[` + strings.Join(roles, ",") + `],"volunteers":[` + strings.Join(people, ",") +
		`]}`
	for _, want := range []string{
		fmt.Sprintf(`{"roles":%d,"needs":0,"volunteers":%d,`, maxRoles-2, maxPairs+3),
		`{"roles":0,"needs":0,"volunteers":0,`,
	} {
		got := f.do(f.office, "POST", "/import", file, 200).Body
		if !strings.HasPrefix(got, want) || !strings.Contains(got, `"code":"TOO_MANY_ROLES","detail":"Role 28"`) ||
			!strings.Contains(got, `"skippedCount":2,"notes":[{"line":6,"code":"DIGEST_FULL","detail":"P5"},`+
				`{"line":21,"code":"PAIR_MISSING","detail":"P20"},{"line":22,"code":"PAIR_MISSING","detail":"P21"},`+
				`{"line":23,"code":"PAIR_MISSING","detail":"P22"}]`) {
			t.Errorf("%s, want %s and what is left out", got, want)
		}
	}
}

// TestListsOfOtherPrograms: lists in the shapes of other programs come in, a second time without any change.
func TestListsOfOtherPrograms(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ list, want string }{
		"sep= of Excel": {"sep=;\r\nName;E-Mail;Rollen\r\nVolunteer 3;v3@example.org;Reader\r\n",
			"Volunteer 3 <v3@example.org> [Reader]"},
		"Planning Center": {`"Person ID","Given Name","First Name","Nickname","Last Name","Home Email",` +
			`"Work Email","Mobile Phone Number"` + "\n1,Adelaide,Ada,,One,ada@example.org,,555\n" +
			"2,,Ben,,Two,,ben@example.org,\n", "Ada One <ada@example.org> []; Ben Two <ben@example.org> []"},
		"ChurchTools": {"\ufeff\"Id\";\"Vorname\";\"Nachname\";\"E-Mail-Adresse\";\"Gruppen\"\r\n" +
			"7;J\u00fcrgen;Eins;j@example.org;\"Technik, Chor\"\r\n",
			"Jürgen Eins <j@example.org> [Chor Technik]"},
		"ChurchSuite": {"First name,Last name,Email,Mobile,Ministries\nAda,One,ada@example.org,,Welcome; Tea\n",
			"Ada One <ada@example.org> [Tea Welcome]"},
		"Elvanto": {"First Name,Preferred Name,Last Name,Email Address,Departments\n" +
			"Adelaide,Ada,One,ada@example.org,\nBen,,Two,,Band\n",
			"Ada One <ada@example.org> []; Ben Two <> [Band]"},
		"Elvanto's interface": {"firstname,preferred_name,lastname,email,volunteer\nAdelaide,Ada,One,,1\n",
			"Ada One <> []"},
		"ChurchTools, a person's table": {"Vorname;Rufname;Nachname;E-Mail;E-Mail beruflich\nAdelaide;Ada;One;;" +
			"ada@example.org\n", "Ada One <ada@example.org> []"},
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
				if got.Status != 200 || !strings.Contains(got.Body, effect) || strings.Contains(got.Body, "skipped") {
					t.Fatalf("%s, want 200, %s and nothing left out", got, effect)
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
