package sdk_test

import (
	"errors"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// TestReadExchange: preview has one meaning, and no other value is taken for an import.
func TestReadExchange(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"":                    "import",
		"preview=1":           "preview",
		"preview=true":        "preview",
		"preview=0":           "refused",
		"preview=false":       "refused",
		"preview=yes":         "refused",
		"preview=":            "refused",
		"preview=1&preview=1": "refused",
		"format=csv":          "refused",
		"dry=1":               "refused",
		"dates=mdy":           "import",
		"dates=ymd":           "refused",
		"columns=above:1,a:0": "import",
		"columns=":            "refused",
	} {
		got := "import"
		exchange, err := sdk.ReadExchange(httptest.NewRequest("POST", "/import?"+query, nil))
		switch {
		case errors.Is(err, sdk.ErrRequestInvalid):
			got = "refused"
		case err != nil:
			t.Error(err)
		case exchange.Preview:
			got = "preview"
		}
		if got != want {
			t.Errorf("?%s is %s, want %s", query, got, want)
		}
	}
	for query, want := range map[string]string{"format=csv&preview=1": "csv", "format=json": "json",
		"format=ics": "", "": "", "format=": ""} {
		exchange, err := sdk.ReadExchange(httptest.NewRequest("POST", "/import?"+query, nil), "csv", "json")
		if exchange.Format != want || (want == "") != errors.Is(err, sdk.ErrRequestInvalid) {
			t.Errorf("?%s: format %q, error %v, want %q", query, exchange.Format, err, want)
		}
	}
}

// TestExchangeAnswers: an import with problems is refused with them and keeps nothing, and a preview tells
// them.
func TestExchangeAnswers(t *testing.T) {
	t.Parallel()
	type imported struct {
		Added int `json:"added"`
		sdk.Exchange
	}
	for _, c := range []struct {
		preview  bool
		problems int
		keeps    bool
		status   int // 0: the answer itself, which is sent with 200
		body     string
	}{
		{false, 0, true, 0, `{"added":2,"problems":[],"problemCount":0}`},
		{true, 0, false, 0, `{"added":2,"problems":[],"problemCount":0}`},
		{true, 1, false, 0, `{"added":2,"problems":[{"line":0,"code":"LINE_INVALID"}],"problemCount":1}`},
		{false, 1, false, 400,
			`{"added":2,"code":"IMPORT_INVALID","problems":[{"line":0,"code":"LINE_INVALID"}],"problemCount":1}`},
	} {
		answer := &imported{Added: 2}
		answer.Preview = c.preview
		for n := range c.problems {
			answer.Problem(n, "LINE_INVALID")
		}
		if err := answer.Keep(nil); (err == nil) != c.keeps || err != nil && !errors.Is(err, sdk.ErrUnchanged) {
			t.Errorf("%+v: Keep: %v", c, err)
		}
		got, err := answer.Answer(answer, nil)
		status := 0
		if response, is := got.(sdk.Response); is {
			status, got = response.Status, response.Body
		}
		body, _ := json.Marshal(got)
		if err != nil || status != c.status || string(body) != c.body {
			t.Errorf("%+v: answer %d %s, error %v", c, status, body, err)
		}
	}
	failure := errors.New("failed")
	answer := &imported{}
	if err := answer.Keep(failure); !errors.Is(err, failure) {
		t.Errorf("Keep of a failure: %v, want it", err)
	}
	if got, err := answer.Answer(answer, failure); got != nil || !errors.Is(err, failure) {
		t.Errorf("Answer of a failure: %v, error %v, want the failure alone", got, err)
	}
	for range sdk.MaxProblems + 5 {
		answer.Problem(1, "ROOM_TAKEN", "Choir")
	}
	if len(answer.Problems) != sdk.MaxProblems || answer.ProblemCount != sdk.MaxProblems+5 ||
		!reflect.DeepEqual(answer.Problems[0], sdk.Problem{Line: 1, Code: "ROOM_TAKEN", Detail: "Choir"}) {
		t.Errorf("%d problems of %d, want %d", len(answer.Problems), answer.ProblemCount, sdk.MaxProblems)
	}
}

// TestSkippedRows: rows that are left out refuse nothing, and what is told of them is bounded.
func TestSkippedRows(t *testing.T) {
	t.Parallel()
	answer := &struct{ sdk.Exchange }{}
	long := strings.Repeat("ä", 1000)
	for n := range sdk.MaxSkipped + 5 {
		answer.Skip(sdk.Problem{Line: n, Code: "NAME_INVALID", Detail: long, Row: []string{long}})
		answer.Note(sdk.Problem{Line: n, Code: "TEXT_SHORTENED"})
	}
	if err := answer.Keep(nil); err != nil {
		t.Errorf("Keep: %v, want the good rows to be kept", err)
	}
	got, err := answer.Answer(answer, nil)
	if body, _ := json.Marshal(got); err != nil || len(body) > 1<<20 {
		t.Errorf("an answer of %d bytes, error %v; want less than 1 MiB", len(body), err)
	}
	if len(answer.Skipped) != sdk.MaxSkipped || answer.SkippedCount != sdk.MaxSkipped+5 ||
		len(answer.Notes) != sdk.MaxProblems || answer.NoteCount != sdk.MaxSkipped+5 ||
		answer.Skipped[0].Row == nil || answer.Skipped[sdk.MaxSkipped-1].Row != nil {
		t.Errorf("%d of %d rows and %d of %d notes", len(answer.Skipped), answer.SkippedCount,
			len(answer.Notes), answer.NoteCount)
	}
}

// TestTexts: what counts as an id, as a text and as a line.
func TestTexts(t *testing.T) {
	t.Parallel()
	const id = "7d0f5b1e-5a55-4c3e-9a6a-1c9a3f0f6f10"
	for text, want := range map[string]bool{
		id:                               true,
		"":                               false,
		strings.ToUpper(id):              false,
		"{" + id + "}":                   false,
		strings.ReplaceAll(id, "-", ""):  false,
		"urn:uuid:" + id:                 false,
		id[:35] + "g":                    false,
		id[:35] + "\n":                   false,
		strings.Replace(id, "-", "a", 1): false,
	} {
		if got := sdk.IsID(text); got != want {
			t.Errorf("IsID(%q): %t, want %t", text, got, want)
		}
	}
	for text, want := range map[string][2]bool{ // a text, a line
		"":         {false, false},
		"Łódź":     {true, true},
		"five!":    {false, false},
		" a":       {true, false},
		"a\nb":     {true, false},
		"a\tb":     {true, false},
		"a\u2028b": {true, false},
		"a\x00":    {false, false},
		"\xff":     {false, false},
		"a b":      {true, true},
	} {
		if got := [2]bool{sdk.IsText(text, 1, 4), sdk.IsLine(text, 1, 4)}; got != want {
			t.Errorf("%q is a text and a line of 1 to 4 characters: %v, want %v", text, got, want)
		}
	}
}
