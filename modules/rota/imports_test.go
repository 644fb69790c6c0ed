package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modulehost/sdktest"
)

func (f *fixture) imports() []sdk.PastImport {
	f.t.Helper()
	var all struct{ Imports []sdk.PastImport }
	f.do(f.office, "GET", "/imports", nil, 200).JSON(&all)
	return all.Imports
}

func (f *fixture) undo(id string) string {
	f.t.Helper()
	var done sdk.Undone
	f.do(f.office, "DELETE", "/imports/"+id, nil, 200).JSON(&done)
	return fmt.Sprint(done)
}

// people returns all volunteers with their roles.
func (f *fixture) people() string {
	f.t.Helper()
	b := f.board()
	names := make(map[string]string)
	for _, r := range b.Roles {
		names[r.ID] = r.Name
	}
	var all []string
	for _, v := range b.Volunteers {
		var able []string
		for _, id := range v.RoleIDs {
			able = append(able, names[id])
		}
		slices.Sort(able)
		all = append(all, strings.TrimSpace(v.Label+" "+strings.Join(able, "+")))
	}
	return strings.Join(all, ", ")
}

// TestUndoOfAList: an undo removes the volunteers and the roles that an import has made, and restores those
// that it has changed. Who was changed or planned since stays, and is named.
func TestUndoOfAList(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	before, edited := f.volunteer("Before", "Reader"), f.volunteer("Edited before", "Reader")
	list := "Name,E-mail,Roles\nBefore," + before.Email + ",Tea\nEdited before," + edited.Email + ",Tea\n" +
		"New,,Tea\nPlanned,,Welcome\nEdited,,Coffee\nRemoved,,Coffee\n"
	if f.sendCSV("/volunteers/import?preview=1", list); len(f.imports()) != 0 {
		t.Error("a preview can be undone")
	}
	f.sendCSV("/volunteers/import", list)
	rev := f.board().Rev
	f.sendCSV("/volunteers/import", list)
	if now := f.board().Rev; now != rev {
		t.Errorf("the rev of the board was %d before the second import, and is %d; want no change", rev, now)
	}
	past := f.imports()
	if len(past) != 1 || past[0].Counts["volunteers"] != 6 || past[0].Counts["roles"] != 2 {
		t.Fatalf("imports %+v, want one of 6 volunteers and 2 roles", past)
	}
	of := make(map[string]volunteer)
	for _, v := range f.board().Volunteers {
		of[v.Label] = v
	}
	f.assign("service-1", "Welcome", of["Planned"])
	for _, name := range []string{"Edited", "Edited before"} {
		v := of[name]
		f.do(f.office, "PUT", "/volunteers/"+v.ID, fmt.Sprintf(
			`{"label":%q,"email":"","language":"","digest":false,"roleIds":[%q],"rev":%d}`,
			name+" by Ada", v.RoleIDs[0], v.Rev), 200)
	}
	f.do(f.office, "DELETE", "/volunteers/"+of["Removed"].ID, nil, 204)
	want := "{1 1 5 [Edited before by Ada Edited by Ada Planned Coffee Tea]}"
	if got := f.undo(past[0].ID); got != want {
		t.Errorf("undone: %s, want %s", got, want)
	}
	if got, want := f.people(), "Before Reader, Edited before by Ada Tea, Edited by Ada Coffee, "+
		"Planned Welcome"; got != want {
		t.Errorf("volunteers: %s, want %s", got, want)
	}
	f.refused(f.office, "DELETE", "/imports/"+past[0].ID, nil, 404, "IMPORT_NOT_FOUND")
	f.refused(f.Person(), "DELETE", "/imports/"+past[0].ID, nil, 403, "PERMISSION_DENIED")

	f.sendCSV("/volunteers/import", "Name,Roles\nAlone,Singing\n")
	if got := f.undo(f.imports()[0].ID); got != "{2 0 0 []}" {
		t.Errorf("undone: %s, want the volunteer and the role removed", got)
	}
}

// TestUndoOfAnArchive: everything that the import of an archive has written is as before. A second import of
// the archive changes nothing.
func TestUndoOfAnArchive(t *testing.T) {
	t.Parallel()
	from, to := newFixture(t, nil), newFixture(t, nil)
	ada, ben := from.volunteer("Ada", "Reader"), from.volunteer("Ben", "Welcome")
	from.do(from.office, "PUT", "/volunteers/"+ada.ID, fmt.Sprintf(
		`{"label":"Ada","email":"ada@example.org","language":"de","digest":true,"roleIds":[%q],"perMonth":2,
		"pairs":[{"id":%q,"apart":true}],"rev":%d}`, ada.RoleIDs[0], ben.ID, ada.Rev), 200)
	from.do(from.office, "PUT", "/volunteers/"+ben.ID+"/away",
		fmt.Sprintf(`{"rev":%d,"away":[{"from":"2099-07-01","to":"2099-07-14"}]}`, ben.Rev+1), 200)
	from.do(from.office, "PUT", "/services/service-1/needs",
		fmt.Sprintf(`{"needs":[{"roleId":%q,"needed":3,"rev":0}]}`, ada.RoleIDs[0]), 204)
	from.assign("service-1", "Reader", ada)
	file := from.do(from.office, "GET", "/export", nil, 200).Body

	to.do(to.office, "PUT", "/roles", `{"rev":2,"roles":[]}`, 200) // otherwise the archive's are these
	own := to.do(to.office, "GET", "/export", nil, 200).Body
	to.do(to.office, "POST", "/import", file, 200)
	filled := to.do(to.office, "GET", "/export", nil, 200).Body
	rev := to.board().Rev
	to.do(to.office, "POST", "/import", file, 200)
	if n := len(to.imports()); n != 1 || to.board().Rev != rev {
		t.Errorf("%d imports after the second one, and the board is another: %t; want one, and the same board", n,
			to.board().Rev != rev)
	}
	if got := to.undo(to.imports()[0].ID); !strings.HasSuffix(got, "0 0 []}") {
		t.Errorf("undone: %s, want nothing to stay", got)
	}
	if got := to.do(to.office, "GET", "/export", nil, 200).Body; got != own {
		t.Errorf("the export after the undo: %s, want %s", got, own)
	}

	// Once more, and then another archive changes what the first one has made.
	to.do(to.office, "POST", "/import", file, 200)
	other := strings.NewReplacer(`"Ada"`, `"Adele"`, `"needed":3`, `"needed":4`, `"Reader"`, `"Lector"`,
		`"apart":true`, `"apart":false`, `"2099-07-14"`, `"2099-07-15"`, `"planned"`, `"yes"`).Replace(file)
	to.do(to.office, "POST", "/import", other, 200)
	if got := to.undo(to.imports()[0].ID); got != "{0 5 0 []}" {
		t.Errorf("undone: %s, want two volunteers, a role, a number and a date restored", got)
	}
	if got := to.do(to.office, "GET", "/export", nil, 200).Body; got != filled {
		t.Errorf("the export after the undo of changes: %s, want %s", got, filled)
	}
}

// TestErasedAreNotBroughtBack: what an undo could restore of a person is erased with them.
func TestErasedAreNotBroughtBack(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	ada := f.volunteer("Ada", "Reader")
	f.sendCSV("/volunteers/import", "Name,E-mail,Roles\nAda,"+ada.Email+",Tea\n")
	who := f.member(ada)
	if err := f.Erase(who.ID); err != nil {
		t.Fatal(err)
	}
	var rows int
	err := f.rota.db.QueryRow(t.Context(), `
		SELECT count(*) FROM imported AS row WHERE strpos(row::text, $1) > 0`, ada.Email).Scan(&rows)
	if err != nil || rows != 0 {
		t.Errorf("%d rows for an undo have the address after the erasure, %v; want none", rows, err)
	}
	if got := f.undo(f.imports()[0].ID); got != "{1 0 0 []}" || strings.Contains(f.people(), "Ada") {
		t.Errorf("undone: %s, and then there are %s; want the role removed and nobody", got, f.people())
	}
}

// TestArchiveWithoutTheErased: an archive from before does not bring back who was erased: not into the row
// that is left of them, and not after a coordinator had removed them. Who had come back from an archive until
// then is erased, too. The preview names them; somebody who was only removed comes back.
func TestArchiveWithoutTheErased(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	ada, ben := f.volunteer("Ada", "Reader"), f.volunteer("Ben", "Reader")
	cleo, dora := f.volunteer("Cleo", "Reader"), f.volunteer("Dora", "Reader")
	f.do(f.office, "PUT", "/volunteers/"+dora.ID, fmt.Sprintf(
		`{"label":"Dora","email":"dora@example.org","language":"","digest":false,"roleIds":[%q],
		"pairs":[{"id":%q,"apart":true}],"rev":%d}`, dora.RoleIDs[0], ada.ID, dora.Rev), 200)
	f.assign("service-1", "Reader", ben)
	people := []*sdktest.Caller{f.member(ada), f.member(ben), f.member(cleo)}
	f.member(dora)
	file := f.do(f.office, "GET", "/export", nil, 200).Body
	for _, v := range []volunteer{cleo, dora} {
		f.do(f.office, "DELETE", "/volunteers/"+v.ID, nil, 204)
	}
	f.do(f.office, "POST", "/import", file, 200)
	if got, want := f.people(), "Ada Reader, Ben Reader, Cleo Reader, Dora Reader"; got != want {
		t.Fatalf("volunteers: %s, want %s, because two were only removed", got, want)
	}
	f.do(f.office, "DELETE", "/volunteers/"+ben.ID, nil, 204)
	var data map[string]any
	err := f.Export(people[1].ID, &data)
	if got := fmt.Sprint(data["volunteersRemoved"]); err != nil || got != "["+ben.ID+"]" {
		t.Errorf("export of who was removed: %v, %v, want which volunteer they were", data, err)
	}
	for _, who := range slices.Concat(people, people) {
		if err := f.Erase(who.ID); err != nil {
			t.Fatal(err)
		}
	}
	for _, query := range []string{"?preview=1", "", ""} {
		var got arrived
		f.do(f.office, "POST", "/import"+query, file, 200).JSON(&got)
		told := ""
		for _, p := range got.Skipped {
			name, day, _ := strings.Cut(p.Detail, ", ")
			if _, err := time.Parse(time.DateOnly, day); err == nil {
				told += fmt.Sprintf("%d %s %s, ", p.Line, p.Code, name)
			}
		}
		want := "1 VOLUNTEER_ERASED Ada, 2 VOLUNTEER_ERASED Ben, 3 VOLUNTEER_ERASED Cleo, "
		if told != want || got.Volunteers+got.Assignments+got.NoteCount > 0 {
			t.Errorf("import%s: %s, %+v, want %s and nothing else", query, told, got, want)
		}
		if got := strings.Trim(f.people(), ", "); got != "Dora Reader" {
			t.Errorf("volunteers after import%s: %s, want nobody back who was erased", query, got)
		}
	}
}
