package httpapi_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/narthex-platform/narthex/services/httpapi"
)

type order struct {
	Name  string    `json:"name"`
	Count int       `json:"count"`
	Note  string    `json:"note,omitzero"`
	Parts []part    `json:"parts,omitzero"`
	Exact *struct{} `json:"exact,omitzero"`
}

type part struct {
	ID string `json:"id"`
}

func call(contentType, body string) *httpapi.Call {
	request := httptest.NewRequest("POST", "/", strings.NewReader(body))
	request.Header.Del("Content-Type")
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	return &httpapi.Call{Writer: httptest.NewRecorder(), Request: request, Body: []byte(body)}
}

func TestDecode(t *testing.T) {
	const plain = "application/json"
	for _, row := range []struct {
		name, contentType, body string
		ok                      bool
	}{
		{"all", plain, `{"name":"a","count":1,"note":"n","parts":[{"id":"x"}]}`, true},
		{"required ones alone", "Application/JSON; charset=utf-8", ` {"count":1,"name":""} `, true},
		{"values that look like names", plain, `{"name":"count","count":1,"parts":[{"id":"name"}]}`, true},
		{"no type", "", `{"name":"a","count":1}`, false},
		{"another type", "text/json", `{"name":"a","count":1}`, false},
		{"a longer type", "application/jsonp", `{"name":"a","count":1}`, false},
		{"nothing", plain, ``, false},
		{"missing", plain, `{"name":"a"}`, false},
		{"missing, but a value says its name", plain, `{"name":"count"}`, false},
		{"missing, but a part has its name", plain, `{"name":"a","parts":[{"count":"x"}]}`, false},
		{"unknown", plain, `{"name":"a","count":1,"x":1}`, false},
		{"unknown inside", plain, `{"name":"a","count":1,"parts":[{"id":"x","y":1}]}`, false},
		{"miscased", plain, `{"Name":"a","count":1}`, false},
		{"twice", plain, `{"name":"a","name":"b","count":1}`, false},
		{"null", plain, `{"name":null,"count":1}`, false},
		{"null inside", plain, `{"name":"a","count":1,"parts":[null]}`, false},
		{"null alone", plain, `null`, false},
		{"a list", plain, `[{"name":"a","count":1}]`, false},
		{"a number as text", plain, `{"name":"a","count":"1"}`, false},
		{"a fraction", plain, `{"name":"a","count":1.5}`, false},
		{"something after it", plain, `{"name":"a","count":1} {}`, false},
		{"cut off", plain, `{"name":"a","count":1`, false},
		{"no UTF-8", plain, "{\"name\":\"\xff\",\"count\":1}", false},
		{"byte-order mark", plain, "\ufeff" + `{"name":"a","count":1}`, false},
	} {
		_, err := httpapi.Decode[order](call(row.contentType, row.body))
		if (err == nil) != row.ok || err != nil && !errors.Is(err, httpapi.ErrRequest) {
			t.Errorf("Decode %s (%s): error %v, want it accepted: %v", row.name, row.body, err, row.ok)
		}
	}
}

func TestDecodeNullable(t *testing.T) {
	type placed struct {
		Group *string             `json:"group"`
		Order int                 `json:"order"`
		Parts []map[string]string `json:"parts,omitzero"`
	}
	for body, ok := range map[string]bool{
		`{"group":null,"order":1}`:                          true,
		`{"order":1,"group":"a"}`:                           true,
		`{"order":1}`:                                       false, // it may be null, not absent
		`{"group":null,"order":null}`:                       false,
		`{"group":null}`:                                    false,
		`{"group":[null],"order":1}`:                        false,
		`{"group":{"group":null},"order":1}`:                false,
		`{"group":null,"order":1,"parts":[{"group":null}]}`: false,
		`{"group":"group","order":1,"parts":null}`:          false,
		`null`: false,
	} {
		read, err := httpapi.DecodeNullable[placed](call("application/json", body), "group")
		if (err == nil) != ok || err != nil && !errors.Is(err, httpapi.ErrRequest) || ok && read.Order != 1 {
			t.Errorf("DecodeNullable %s: %+v, error %v, want it accepted: %v", body, read, err, ok)
		}
	}
}

func TestDecodeEmpty(t *testing.T) {
	for body, ok := range map[string]bool{"": true, "{}": false, "x": false} { // without a type
		if err := httpapi.DecodeEmpty(call("", body)); (err == nil) != ok {
			t.Errorf("DecodeEmpty(%q) without a Content-Type: error %v, want it accepted: %v", body, err, ok)
		}
	}
	for body, ok := range map[string]bool{"": false, "{}": true, " { } ": true, `{"a":1}`: false,
		"null": false, "[]": false} {
		if err := httpapi.DecodeEmpty(call("application/json", body)); (err == nil) != ok {
			t.Errorf("DecodeEmpty(%q) as JSON: error %v, want it accepted: %v", body, err, ok)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{`{"name":"a","count":1}`, `{"name":"a","count":1,"parts":[{"id":"x"}]}`,
		`{"a":null}`, `[]`, `{"name":`, "\xff"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		read, err := httpapi.Decode[order](call("application/json", string(body)))
		if err != nil {
			return
		}
		written, err := json.Marshal(read)
		if err != nil {
			t.Fatalf("%q was decoded to a value that cannot be encoded: %v", body, err)
		}
		if _, err := httpapi.Decode[order](call("application/json", string(written))); err != nil {
			t.Fatalf("%q was encoded again as %q, which Decode refuses", body, written)
		}
	})
}

func TestMatches(t *testing.T) {
	const etag = `"0123abc"`
	for header, want := range map[string]bool{
		`"0123abc"`: true, `W/"0123abc"`: true, `*`: true, ` * `: true, `"x", "0123abc"`: true,
		`"x",W/"0123abc" , "y"`: true, `"a,b", "0123abc"`: true,
		`, "0123abc",`: true, "": false, `"x"`: false, `0123abc`: false, `"0123abc`: false, `w/"0123abc"`: false,
		`"0123ABC"`:     false,
		`"x" "0123abc"`: false, `"0123abc" x`: false, `x, "0123abc"`: false, `"0123abc", *`: false, `W/`: false,
		`"0123abc"x`: false, `"x y", "0123abc"`: false,
	} {
		request := httptest.NewRequest("GET", "/", nil)
		request.Header.Set("If-None-Match", header)
		if got := httpapi.Matches(request, etag); got != want {
			t.Errorf("Matches with If-None-Match %s: got %v, want %v", header, got, want)
		}
	}
	request := httptest.NewRequest("GET", "/", nil)
	if httpapi.Matches(request, etag) {
		t.Error("Matches without If-None-Match: got true, want false")
	}
	request.Header["If-None-Match"] = []string{`"x"`, etag}
	if !httpapi.Matches(request, etag) {
		t.Error("Matches with the tag on the second line: got false, want true")
	}
}

func FuzzMatches(f *testing.F) {
	for _, seed := range []string{`"a"`, `W/"a", "b"`, `*`, `"a`, `,,`, "W/\"\x00\""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, header string) {
		request := &http.Request{Header: http.Header{"If-None-Match": {header}}}
		if httpapi.Matches(request, `"a"`) && !strings.Contains(header, `"a"`) &&
			strings.Trim(header, " \t") != "*" {
			t.Fatalf("Matches with If-None-Match %q: got true, want false: the tag is not in it", header)
		}
	})
}
