package configuration_test

import (
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/catalog/catalogtest"
	"github.com/narthex-platform/narthex/modulehost/decisions/configuration"
	"github.com/narthex-platform/narthex/modulehost/manifest"
	"github.com/narthex-platform/narthex/services/httpapi"
)

// TestAccepted submits valid values and checks how they are stored. Each submission replaces the previous
// one.
func TestAccepted(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.insert(t, "rota", "zulu", "kept", "apiToken", "stale", "size", "7")
	h.insert(t, "plain", "title", "another's")
	for _, row := range [][2]string{
		{`{"title":"ab"}`, `title=ab`},
		{`{"title":"ab","size":1,"free":-5,"dark":true,"colour":"green","link":"https://a.test/b?c=d#e",` +
			`"note":"n"}`,
			`colour=green dark=true free=-5 link=https://a.test/b?c=d#e note=n size=1 title=ab`},
		{` { "dark" : false , "size" : 10 } `, `dark=false size=10`},
		{`{"free":9007199254740992}`, `free=9007199254740992`},
		{`{"free":-9007199254740992}`, `free=-9007199254740992`},
		{`{"free":-0}`, `free=0`},
		{`{"title":"ĄĘÓŁŻ","note":""}`, `note= title=ĄĘÓŁŻ`}, // characters, not bytes
		{`{"title":"\u0041\ud83d\ude00"}`, `title=A😀`},
		{`{"\u0074itle":"ab"}`, `title=ab`},
		{`{"link":"http://a"}`, `link=http://a`},
		{`{}`, ``},
	} {
		shown := decode[view](t, h.put(t, "rota", row[0]))
		if got := strings.TrimSuffix(strings.TrimSuffix(h.rows(t, "rota"), "zulu=kept"), " "); got != row[1] {
			t.Errorf("PUT %s: stored %q, want %q", row[0], got, row[1])
		}
		values := 0
		for _, key := range shown.Keys {
			if key.Value != nil {
				values++
			}
		}
		if want := strings.Count(row[1], " ") + 1; row[1] != "" && values != want || len(shown.UnknownKeys) != 1 ||
			shown.UnknownKeys[0] != "zulu" {
			t.Errorf("PUT %s: response %+v, want %d values and the unknown key zulu", row[0], shown, want)
		}
	}
	if got := h.rows(t, "plain"); got != "title=another's" {
		t.Errorf("another module's values: %s, want them unchanged", got)
	}
	if w := h.put(t, "plain", `{}`); w.Code != http.StatusOK {
		t.Errorf("PUT to a module without keys: status %d, want 200; body %s", w.Code, w.Body)
	}
}

const marked = "m4rked"

// TestRefused checks each refusal and their order, whatever the order of the keys, of a replacement and of
// its preview. Nothing is written and no value is returned.
func TestRefused(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.insert(t, "rota", "title", "kept", "zulu", "kept")
	const malformed, unknown = "REQUEST_INVALID", "MODULE_NOT_INSTALLED"
	const undeclared, secret, invalid = "CONFIGURATION_KEY_UNDECLARED", "CONFIGURATION_SECRET_NOT_WRITABLE",
		"CONFIGURATION_VALUE_INVALID"
	for _, row := range []struct {
		values string // the value of "values" in the body
		code   string
	}{
		{`null`, malformed}, {`[]`, malformed}, {`"m4rked"`, malformed}, {``, malformed},
		{`{"title":"m4rked","title":"ab"}`, malformed},
		{`{"title":"ab","\u0074itle":"ab"}`, malformed},
		{`{"title":{"a":1,"a":2}}`, malformed},
		{`{"title":"` + "\xff" + `"}`, malformed},
		{`{"title":"\ud800"}`, malformed},
		{`{"title":"ab"},"more":1`, malformed},
		{`{"title":"ab"},"values":{}`, malformed},
		{`{"title":"ab"}}{"values":{}`, malformed},
		{`{"size":01}`, malformed}, {`{"size":+1}`, malformed}, {`{"size":NaN}`, malformed},

		{`{"other":1}`, undeclared}, {`{"Title":"ab"}`, undeclared}, {`{"":null}`, undeclared},
		{`{"zulu":"m4rked"}`, undeclared},
		{`{"other":"m4rked","apiToken":"m4rked","size":"m4rked"}`, undeclared},
		{`{"size":"m4rked","apiToken":"m4rked","other":"m4rked"}`, undeclared},
		{`{"size":"m4rked","apiToken":"m4rked"}`, secret}, {`{"apiToken":"m4rked","size":"m4rked"}`, secret},
		{`{"otherToken":null}`, secret}, {`{"title":"ab","apiToken":""}`, secret},

		{`{"title":null}`, invalid}, {`{"title":["ab"]}`, invalid}, {`{"title":{}}`, invalid},
		{`{"title":12}`, invalid}, {`{"title":true}`, invalid},
		{`{"title":"a"}`, invalid}, {`{"title":"m4rked"}`, invalid}, {`{"title":"a\u0000b"}`, invalid},
		{`{"note":"\u0000"}`, invalid},
		{`{"size":"4"}`, invalid}, {`{"size":1.0}`, invalid}, {`{"size":1e0}`, invalid}, {`{"size":4.5}`, invalid},
		{`{"size":null}`, invalid},
		{`{"size":0}`, invalid}, {`{"size":11}`, invalid}, {`{"free":1e2}`, invalid}, {`{"free":true}`, invalid},
		{`{"free":9007199254740993}`, invalid}, {`{"free":-9007199254740993}`, invalid},
		{`{"free":99999999999999999999}`, invalid},
		{`{"dark":"true"}`, invalid}, {`{"dark":1}`, invalid}, {`{"dark":null}`, invalid},
		{`{"colour":"blue"}`, invalid}, {`{"colour":"Red"}`, invalid}, {`{"colour":""}`, invalid},
		{`{"colour":0}`, invalid},
		{`{"link":"ftp://m4rked.test"}`, invalid}, {`{"link":"/m4rked"}`, invalid},
		{`{"link":"javascript:m4rked"}`, invalid}, {`{"link":""}`, invalid},
		{`{"title":"ab","size":4,"dark":"m4rked"}`, invalid},
	} {
		absent, missing := row.code, http.StatusBadRequest
		if row.code != malformed { // for a malformed body, 400 precedes the 404 of an unknown module
			absent, missing = unknown, http.StatusNotFound
		}
		for _, submit := range []func(testing.TB, string, string) *httptest.ResponseRecorder{h.put, h.preview} {
			wantCode(t, submit(t, "rota", row.values), http.StatusBadRequest, row.code)
			wantCode(t, submit(t, "unknown", row.values), missing, absent)
			wantCode(t, submit(t, "Rota", row.values), missing, absent)
		}
	}
	for _, body := range []string{``, `{}`, `null`, `[]`, `{"Values":{}}`, `{"title":"ab"}`} {
		wantCode(t, h.send(request(t.Context(), http.MethodPut, path+"/rota", body)), http.StatusBadRequest,
			malformed)
		wantCode(t, h.send(request(t.Context(), http.MethodPost, path+"/rota/preview", body)),
			http.StatusBadRequest, malformed)
	}
	wantCode(t, h.preview(t, "rota", `{"title":"ab"},"rev":0`), http.StatusBadRequest, malformed)
	for _, query := range []string{"?a=b", "?a", "?=", "?%zz"} {
		wantCode(t, h.send(request(t.Context(), http.MethodPut, path+"/rota"+query, `{"values":{}}`)),
			http.StatusBadRequest, malformed)
		wantCode(t, h.send(request(t.Context(), http.MethodPost, path+"/rota/preview"+query, `{"values":{}}`)),
			http.StatusBadRequest, malformed)
	}
	for _, contentType := range []string{"", "text/json", "application/jsonp"} {
		r := request(t.Context(), http.MethodPut, path+"/rota", `{"values":{}}`)
		r.Header.Set("Content-Type", contentType)
		wantCode(t, h.send(r), http.StatusBadRequest, malformed)
	}
	long := `{"note":"` + strings.Repeat("a", 16<<10) + `"}`
	wantCode(t, h.put(t, "rota", long), http.StatusRequestEntityTooLarge, "REQUEST_BODY_TOO_LARGE")
	wantCode(t, h.preview(t, "rota", long), http.StatusRequestEntityTooLarge, "REQUEST_BODY_TOO_LARGE")
	if got := h.rows(t, "rota"); got != "title=kept zulu=kept" {
		t.Errorf("stored %q after refusals, want what was there before", got)
	}
}

// declared returns rota's declarations.
func declared(t testing.TB) []manifest.Declaration {
	t.Helper()
	rota, _ := catalogtest.Discover(t, manifests).Module("rota")
	return rota.Manifest.Configuration
}

// TestErrorsKeepValues checks that errors, which may be logged, contain no submitted value.
func TestErrorsKeepValues(t *testing.T) {
	t.Parallel()
	for _, values := range []string{
		`{"title":"m4rked"}`, `{"m4rked":1}`, `{"apiToken":"m4rked"}`, `"m4rked"`,
		`{"size":"m4rked","size":"m4rked"}`,
	} {
		_, err := configuration.Validate(declared(t), submitted(t, `{"values":`+values+`}`))
		if err == nil || strings.Contains(err.Error(), marked) {
			t.Errorf("Validate of %s: error %v, want one that does not repeat the text", values, err)
		}
	}
}

func submitted(t testing.TB, body string) *httpapi.Call {
	return &httpapi.Call{Request: request(t.Context(), http.MethodPut, path+"/rota", ""), Body: []byte(body)}
}

// FuzzValidate checks that accepted values are stored as text that a start can parse, and that the same body
// always gets the same result, one of the known codes.
func FuzzValidate(f *testing.F) {
	for _, seed := range []string{
		`{"values":{}}`, `{"values":{"title":"ab","size":4,"free":-0,"dark":true,"colour":"red",` +
			`"link":"http://a"}}`, `{"values":{"size":1.0}}`,
		`{"values":{"other":null,"apiToken":""}}`, `{"values":{"note":"\u0000"}}`, `{"values":{"note":[{"a":1}]}}`,
		`{"values":null}`, `[`,
	} {
		f.Add(seed)
	}
	rota := declared(f)
	verdicts := []error{httpapi.ErrRequest, configuration.ErrKeyUndeclared, configuration.ErrSecretNotWritable,
		configuration.ErrValueInvalid}
	f.Fuzz(func(t *testing.T, body string) {
		texts, err := configuration.Validate(rota, submitted(t, body))
		again, errAgain := configuration.Validate(rota, submitted(t, body))
		if !maps.Equal(texts, again) || !errors.Is(errAgain, err) {
			t.Fatalf("Validate: %v, error %v; repeated %v, error %v; want the same", texts, err, again,
				errAgain)
		}
		if err != nil {
			for _, verdict := range verdicts {
				if err == verdict && texts == nil {
					return
				}
			}
			t.Fatalf("Validate: texts %v, error %v; want one of the documented errors and no texts", texts,
				err)
		}
		for _, d := range rota {
			text, found := texts[d.Key]
			if !found {
				continue
			}
			if _, ok := d.ParseText(text); !ok || strings.ContainsRune(text, 0) {
				t.Fatalf("%s was stored as %q, want a text that its declaration accepts", d.Key, text)
			}
			delete(texts, d.Key)
		}
		if len(texts) > 0 {
			t.Fatalf("%v is not declared", texts)
		}
	})
}
