package main

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/sdktest"
)

// TestExportAndImport: importing an export into an empty installation creates the same board. Importing it
// where it was exported changes nothing, except slides that have changed since: these are changed back.
func TestExportAndImport(t *testing.T) {
	t.Parallel()
	m, empty := sdktest.Start(t, &announcements{}, sdktest.Options{}),
		sdktest.Start(t, &announcements{}, sdktest.Options{})
	office, other := m.Person(manageSlides), empty.Person(manageSlides)
	shared := uploaded(t, office, jpegOf(t, 640, 360))
	for _, notice := range []string{
		`"title":"Lunch","body":"Bring \"something\"","imageId":"` + shared.ID + `","enabled":true`,
		`"title":"A draft","startsAt":"2026-01-02T03:04:05.678Z","endsAt":"2027-01-02T03:04:05.000Z"`,
		`"title":"Countdown","kind":"countdown.slide","payload":{"b":1,"a":"ä"},"enabled":true`,
		`"title":"Again","imageId":"` + shared.ID + `"`,
	} {
		if got := office.Do("POST", "/slides", "{"+notice+"}"); got.Status != http.StatusCreated {
			t.Fatal(got)
		}
	}
	uploaded(t, office, pngOf(t, 3, 3)) // no slide shows it
	file := office.Do("GET", "/export", nil)
	if file.Status != http.StatusOK || strings.Count(file.Body, `"data"`) != 1 ||
		!strings.Contains(file.Header.Get("Content-Disposition"), "announcements.json") {
		t.Fatalf("GET /export: %s, want a file with one picture", file)
	}

	imports := func(by *sdktest.Caller, query, content, want string) {
		t.Helper()
		if got := by.Do("POST", "/import"+query, content); got.String() != want {
			t.Errorf("POST /import%s: %s, want %s", query, got, want)
		}
	}
	const all = `200 {"notices":{"new":4,"changed":0,"same":0},` +
		`"pictures":{"new":1,"changed":0,"same":0},"missing":0,"problems":[],"problemCount":0}`
	imports(other, "?preview=1", file.Body, all)
	if got := other.Do("GET", "/slides", nil); got.Body != `{"slides":[],"rev":1}` ||
		len(empty.Stored("images")) != 0 {
		t.Errorf("after a preview there are %s and %d pictures, want nothing", got, len(empty.Stored("images")))
	}
	imports(other, "", file.Body, all)
	if got := other.Do("GET", "/export", nil); got.Body != file.Body {
		t.Errorf("the export of the import: %s, want %s", got, file)
	}
	if got := other.Do("GET", "/images/"+shared.ID, nil); got.Body != jpegOf(t, 640, 360) {
		t.Errorf("the picture has %d bytes after the import, want those that were sent", len(got.Body))
	}
	const same = `200 {"notices":{"new":0,"changed":0,"same":4},` +
		`"pictures":{"new":0,"changed":0,"same":1},"missing":0,"problems":[],"problemCount":0}`
	var before, after board
	other.Subscribe(noticesChannel).JSON(&before)
	imports(other, "", file.Body, same)
	if other.Subscribe(noticesChannel).JSON(&after); before.Rev == 0 || after.Rev != before.Rev {
		t.Errorf("the board was at %d before the second import, and is at %d; want no change", before.Rev,
			after.Rev)
	}

	var list struct{ Slides []slide }
	other.Do("GET", "/slides", nil).JSON(&list)
	edited := fmt.Sprintf(`{"title":"Supper","rev":%d}`, list.Slides[0].Rev)
	if got := other.Do("PUT", "/slides/"+list.Slides[0].ID, edited); got.Status != http.StatusOK {
		t.Fatal(got)
	}
	imports(other, "", file.Body, strings.Replace(strings.Replace(same, `"same":4`, `"same":3`, 1),
		`"changed":0`, `"changed":1`, 1))
	if got := other.Do("GET", "/export", nil); got.Body != file.Body {
		t.Errorf("the export after changing a notice back: %s, want %s", got, file)
	}
}

// TestExportOfALostPicture: an export goes on without a picture that is not in the storage any more, and
// names it at its end. An import of it brings the notice without its picture and says how many are missing.
// Where it was exported it changes nothing.
func TestExportOfALostPicture(t *testing.T) {
	t.Parallel()
	a := &announcements{}
	m, empty := sdktest.Start(t, a, sdktest.Options{}), sdktest.Start(t, &announcements{}, sdktest.Options{})
	office, other := m.Person(manageSlides), empty.Person(manageSlides)
	lost := uploaded(t, office, jpegOf(t, 640, 360))
	object := m.Stored("images")
	kept := uploaded(t, office, pngOf(t, 3, 3))
	for title, p := range map[string]picture{"Lost": lost, "Kept": kept} {
		notice := `{"title":"` + title + `","imageId":"` + p.ID + `","enabled":true}`
		if got := office.Do("POST", "/slides", notice); got.Status != http.StatusCreated {
			t.Fatal(got)
		}
	}
	for key := range object {
		a.deleteObject(t.Context(), key)
	}
	file := office.Do("GET", "/export", nil)
	if file.Status != http.StatusOK || strings.Count(file.Body, `"data"`) != 1 ||
		!strings.HasSuffix(strings.TrimSpace(file.Body), `],"missing":["`+lost.ID+`"]}`) {
		t.Fatalf("GET /export without an object: %s, want 200, the other picture and the lost one's id", file)
	}
	const brings = `200 {"notices":{"new":2,"changed":0,"same":0},` +
		`"pictures":{"new":1,"changed":0,"same":0},"missing":1,"problems":[],"problemCount":0,`
	for _, query := range []string{"?preview=1", ""} {
		if got := other.Do("POST", "/import"+query, file.Body); !strings.HasPrefix(got.String(), brings) ||
			!strings.Contains(got.Body, `"code":"PICTURE_MISSING","detail":"Lost"}],"noteCount":1}`) {
			t.Errorf("POST /import%s elsewhere: %s, want %s", query, got, brings)
		}
	}
	var list struct{ Slides []slide }
	other.Do("GET", "/slides", nil).JSON(&list)
	for _, s := range list.Slides {
		if (s.ImageID != nil) != (s.Title == "Kept") {
			t.Errorf("imported %q with picture %v, want one only for the kept picture", s.Title, s.ImageID)
		}
	}
	const nothing = `200 {"notices":{"new":0,"changed":0,"same":2},` +
		`"pictures":{"new":0,"changed":0,"same":1},"missing":0,"problems":[],"problemCount":0}`
	if got := office.Do("POST", "/import", file.Body); got.String() != nothing {
		t.Errorf("POST /import where it was exported: %s, want %s", got, nothing)
	}
}

// TestImportOfADamagedExport: a notice that cannot be shown and a picture that cannot be read are named and
// stop nothing else. A notice whose picture is missing comes in without it. A second import changes nothing.
func TestImportOfADamagedExport(t *testing.T) {
	t.Parallel()
	m := sdktest.Start(t, &announcements{}, sdktest.Options{})
	office := m.Person(manageSlides)
	id := func(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) }
	notice := func(n int, title, picture, more string) string {
		return `{"id":"` + id(n) + `","kind":"notice","title":"` + title + `","body":"","imageId":` + picture +
			`,"payload":null,"startsAt":null,"endsAt":null,"enabled":true` + more + `}`
	}
	whole := base64.StdEncoding.EncodeToString([]byte(pngOf(t, 3, 3)))
	moving := base64.StdEncoding.EncodeToString([]byte("RIFF\x00\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x02"))
	file := `{"announcements":1,"notices":[` + strings.Join([]string{
		notice(1, "Good", `"`+id(11)+`"`, ""),
		notice(2, "", "null", ""),
		notice(1, "Twice", "null", ""),
		notice(3, "Newer", "null", `,"colour":"red"`),
		`{"title":7}`,
		notice(4, "Lost", `"`+id(12)+`"`, ""),
		notice(5, "Moving", `"`+id(13)+`"`, ""),
		notice(6, "", `"`+id(14)+`"`, ""),
	}, ",") + `],"pictures":[` + strings.Join([]string{
		`{"id":"` + id(11) + `","data":"` + whole + `"}`,
		`{"id":"` + id(11) + `","data":"` + whole + `"}`,
		`{"id":"` + id(13) + `","data":"` + moving + `"}`,
		`{"id":"` + id(14) + `","data":"` + whole + `"}`,
		`{"id":5}`,
	}, ",") + `],"missing":["` + id(12) + `"]}`
	const found = `,"missing":2,"problems":[],"problemCount":0,"skipped":[` +
		`{"line":2,"code":"NOTICE_INVALID"},{"line":3,"code":"NOTICE_INVALID","detail":"Twice"},` +
		`{"line":4,"code":"NOTICE_INVALID","detail":"Newer"},{"line":5,"code":"NOTICE_INVALID"},` +
		`{"line":8,"code":"NOTICE_INVALID"},{"line":2,"code":"PICTURE_INVALID"},` +
		`{"line":3,"code":"PICTURE_INVALID"},{"line":5,"code":"PICTURE_INVALID"}],"skippedCount":8,` +
		`"notes":[{"line":6,"code":"PICTURE_MISSING","detail":"Lost"},` +
		`{"line":7,"code":"PICTURE_MISSING","detail":"Moving"}],"noteCount":2}`
	const first = `200 {"notices":{"new":3,"changed":0,"same":0},` +
		`"pictures":{"new":1,"changed":0,"same":0}` + found
	const again = `200 {"notices":{"new":0,"changed":0,"same":3},` +
		`"pictures":{"new":0,"changed":0,"same":1}` + found
	for n, query := range []string{"?preview=1", "", ""} {
		want := first
		if n == 2 {
			want = again
		}
		if got := office.Do("POST", "/import"+query, file); got.String() != want {
			t.Errorf("POST /import%s: %s, want %s", query, got, want)
		}
	}
	var list struct{ Slides []slide }
	office.Do("GET", "/slides", nil).JSON(&list)
	for n, s := range list.Slides {
		if want := []string{"Good", "Lost", "Moving"}[n]; s.Title != want || (s.ImageID != nil) != (n == 0) {
			t.Errorf("notice %d is %q with the picture %v, want %s, and a picture of the first alone", n, s.Title,
				s.ImageID, want)
		}
	}
}

// TestImportRefused: a file that is no export is refused, and nothing is written.
func TestImportRefused(t *testing.T) {
	t.Parallel()
	m := sdktest.Start(t, &announcements{}, sdktest.Options{})
	office, member := m.Person(manageSlides), m.Person()
	const none = `"pictures":[]`
	file := func(notices, pictures string) string {
		return `{"announcements":1,"notices":[` + notices + `],` + pictures + `}`
	}
	for content, problem := range map[string]string{
		file("", none+`,"lost":[]`):      `{"line":0,"code":"NOT_AN_EXPORT"}`,
		file("", none+`,"missing":["a"`): `{"line":0,"code":"NOT_AN_EXPORT"}`,
		"":                               `{"line":0,"code":"NOT_AN_EXPORT"}`,
		`{"announcements":2}`:            `{"line":0,"code":"NOT_AN_EXPORT"}`,
		file("", none) + "{}":            `{"line":0,"code":"NOT_AN_EXPORT"}`,
		file(`{"id":`, none):             `{"line":0,"code":"NOT_AN_EXPORT"}`,
	} {
		for query, want := range map[string]string{
			"?preview=1": `200 {"notices":{"new":0,"changed":0,"same":0},"pictures":{"new":0,"changed":0,"same":0},` +
				`"missing":0,"problems":[` + problem + `],`,
			"": `400 {"notices":{"new":0,"changed":0,"same":0},"pictures":{"new":0,"changed":0,"same":0},` +
				`"missing":0,"code":"IMPORT_INVALID","problems":[` + problem + `],`,
		} {
			if got := office.Do("POST", "/import"+query, content); !strings.HasPrefix(got.String(), want) {
				t.Errorf("POST /import%s of %s: %s, want %s", query, content, got, want)
			}
		}
	}
	if got := member.Do("POST", "/import", file("", none)); got.Status != http.StatusForbidden {
		t.Errorf("an import by a member: %s, want 403", got)
	}
	if got := office.Do("GET", "/slides", nil); got.Body != `{"slides":[],"rev":1}` ||
		len(m.Stored("images")) != 0 {
		t.Errorf("refused imports left %s and %d pictures", got, len(m.Stored("images")))
	}
}

// TestExportTooLarge: an export that is too large for an import is refused, unless it omits the pictures.
func TestExportTooLarge(t *testing.T) {
	t.Parallel()
	m := sdktest.Start(t, &announcements{}, sdktest.Options{})
	office := m.Person(manageSlides)
	large := jpegOf(t, 8, 8) + strings.Repeat("x", 7<<20)
	for range 4 {
		p := uploaded(t, office, large)
		office.Do("POST", "/slides", `{"title":"Large","imageId":"`+p.ID+`"}`)
	}
	if got := office.Do("GET", "/export", nil); got.String() != `409 {"code":"EXPORT_TOO_LARGE"}` {
		t.Errorf("GET /export of 28 MiB: %d %.200s, want 409 EXPORT_TOO_LARGE", got.Status, got.Body)
	}
	got := office.Do("GET", "/export?pictures=0", nil)
	if got.Status != http.StatusOK || strings.Count(got.Body, `"imageId":null`) != 4 {
		t.Errorf("GET /export?pictures=0: %s, want four notices without a picture", got)
	}
}

// TestEndlessValue: of a value that is longer than any picture only as many bytes are read as a picture may
// have.
func TestEndlessValue(t *testing.T) {
	t.Parallel()
	body := &endless{}
	r := newExchangeReader(body)
	var notice exchanged
	if err := r.value(&notice); err != errNoExport || body.read > 3*maxValue {
		t.Errorf("a text without an end: %v after %d bytes, want %v after at most %d", err, body.read, errNoExport,
			3*maxValue)
	}
}

// endless is a JSON string that never ends.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'a'
	}
	if e.read == 0 {
		p[0] = '"'
	}
	e.read += len(p)
	if e.read > 10*maxValue {
		return 0, io.EOF
	}
	return len(p), nil
}
