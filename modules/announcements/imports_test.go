package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modulehost/sdktest"
)

// TestUndoOfAnImport: an undo removes the notices that an import has made and restores those that it has
// changed, with their pictures. What somebody has changed since stays, and is named.
func TestUndoOfAnImport(t *testing.T) {
	t.Parallel()
	a := &announcements{}
	from, m := sdktest.Start(t, &announcements{}, sdktest.Options{}), sdktest.Start(t, a, sdktest.Options{})
	there, office := from.Person(manageSlides), m.Person(manageSlides)
	for _, title := range []string{"Lunch", "Choir", "Fete"} {
		p := uploaded(t, there, pngOf(t, len(title), 3))
		if got := there.Do("POST", "/slides", `{"title":"`+title+`","imageId":"`+p.ID+`"}`); got.Status !=
			http.StatusCreated {
			t.Fatal(got)
		}
	}
	file := there.Do("GET", "/export", nil).Body
	bring := func(content string) string {
		t.Helper()
		if got := office.Do("POST", "/import", content); got.Status != http.StatusOK {
			t.Fatal(got)
		}
		var all struct{ Imports []sdk.PastImport }
		office.Do("GET", "/imports", nil).JSON(&all)
		if len(all.Imports) == 0 {
			t.Fatal("no import can be undone")
		}
		return all.Imports[0].ID
	}
	undo := func(id string) string {
		t.Helper()
		var done sdk.Undone
		office.Do("DELETE", "/imports/"+id, nil).JSON(&done)
		return fmt.Sprint(done)
	}
	if got := undo(bring(file)); got != "{3 0 0 []}" {
		t.Errorf("undone: %s, want three notices removed", got)
	}
	if got := office.Do("GET", "/export", nil).Body; !strings.Contains(got, `"notices":[]`) {
		t.Errorf("after the undo: %s, want no notice", got)
	}
	bring(file)
	if second := bring(file); second == "" || len(m.Stored("images")) == 0 {
		t.Fatal("the file does not come in again")
	}
	before := office.Do("GET", "/export", nil).Body

	// A file without the pictures changes the notices, and the pictures wait for the undo.
	without := there.Do("GET", "/export?pictures=0", nil).Body
	id := bring(strings.NewReplacer("Lunch", "Supper", "Fete", "Fair").Replace(without))
	if err := a.sweep(t.Context(), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	var list struct{ Slides []slide }
	office.Do("GET", "/slides", nil).JSON(&list)
	for _, s := range list.Slides {
		if s.Title == "Fair" {
			office.Do("PUT", "/slides/"+s.ID, fmt.Sprintf(`{"title":"Fair by Ada","rev":%d}`, s.Rev))
		}
	}
	if got := undo(id); got != "{0 2 1 [Fair by Ada]}" {
		t.Errorf("undone: %s, want two notices restored, and the edited one to stay", got)
	}
	after := office.Do("GET", "/export", nil).Body
	if strings.Count(after, `"data"`) != 2 || strings.Count(before, `"data"`) != 3 ||
		!strings.Contains(after, "Lunch") || !strings.Contains(after, "Fair by Ada") {
		t.Errorf("after the undo: %s, want what was before, except Fair by Ada: %s", after, before)
	}
	if got := office.Do("DELETE", "/imports/"+id, nil); got.Status != http.StatusNotFound {
		t.Errorf("the undo again: %s, want 404", got)
	}
	if err := a.sweep(t.Context(), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if n := len(m.Stored("images")); n > 3*4 {
		t.Errorf("%d objects are stored after the sweep", n)
	}
}
