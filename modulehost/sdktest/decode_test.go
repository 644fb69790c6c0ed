package sdktest_test

import (
	"encoding/json"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/services/httpapi"
)

type letter struct {
	Title string `json:"title"`
	Pages int64  `json:"pages,omitzero"`
}

// TestDecodeIsThePlatforms decodes the same bodies with the platform's decoder and with the SDK's.
func TestDecodeIsThePlatforms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ contentType, body string }{
		{"application/json", `{"title":"Ruth","pages":4}`},
		{"application/json; charset=utf-8", ` {"title":"Ruth"} `},
		{"application/json", `{}`},
		{"application/json", ``},
		{"", ``},
		{"", `{"title":"Ruth"}`},
		{"text/plain", `{"title":"Ruth"}`},
		{"application/json;;", `{"title":"Ruth"}`},
		{"application/json", `null`},
		{"application/json", `[]`},
		{"application/json", `{"title":null}`},
		{"application/json", `{"title":"Ruth","pages":null}`},
		{"application/json", `{"Title":"Ruth"}`},
		{"application/json", `{"title":"Ruth","title":"Naomi"}`},
		{"application/json", `{"title":"Ruth","author":"Naomi"}`},
		{"application/json", `{"title":"Ruth"}{}`},
		{"application/json", `{"title":"Ruth"} x`},
		{"application/json", `{"title":"Ruth","pages":"4"}`},
		{"application/json", `{"title":"Ruth","pages":4.5}`},
		{"application/json", `{"title":"Ruth","pages":9223372036854775808}`},
		{"application/json", "{\"title\":\"\xff\"}"},
		{"application/json", `{"title":"\ud800"}`},
		{"application/json", `{"title":7}`},
		{"application/json", `{"title":"Ruth",}`},
		{"application/json", strings.Repeat(`{"title":`, 20000)},
	} {
		request := httptest.NewRequest("POST", "/letters", strings.NewReader(c.body))
		request.Header.Set("Content-Type", c.contentType)
		if c.contentType == "" {
			request.Header.Del("Content-Type")
		}
		want, refused := httpapi.Decode[letter](&httpapi.Call{Request: request, Body: []byte(c.body)})
		got, err := sdk.Decode[letter](request)
		if refused == nil && got != want || (err != nil) != (refused != nil) ||
			err != nil && !errors.Is(err, sdk.ErrRequestInvalid) {
			t.Errorf("Decode(%.60s as %q): %+v, error %v, want the platform's %+v, error %v", c.body,
				c.contentType, got, err, want, refused)
		}
	}
}

type plan struct {
	At     time.Time       `json:"at"`
	Until  *time.Time      `json:"until"`
	Raw    json.RawMessage `json:"raw"`
	Steps  []step          `json:"steps"`
	Extras map[string]step `json:"extras,omitzero"`
}

type step struct {
	Name string  `json:"name"`
	Note *string `json:"note"`
}

func TestDecodeChecksEveryDepth(t *testing.T) {
	t.Parallel()
	decode := func(body string) (plan, error) {
		request := httptest.NewRequest("POST", "/plans", strings.NewReader(body))
		request.Header.Set("Content-Type", "application/json")
		return sdk.Decode[plan](request)
	}
	good := `{"at":"2026-11-22T10:00:00.250Z","until":null,"raw":{"a":null},` +
		`"steps":[{"name":"sing","note":null}]}`
	got, err := decode(good)
	if err != nil || got.At.UnixMilli()%1000 != 250 || string(got.Raw) != `{"a":null}` ||
		got.Steps[0].Name != "sing" {
		t.Fatalf("Decode(%s): %+v, error %v, want all of it", good, got, err)
	}
	if _, err := decode(`{"at":"2026-11-22T10:00:00.250Z","steps":[]}`); err != nil {
		t.Errorf("Decode without optional members: error %v, want none", err)
	}
	for _, body := range []string{
		`{"steps":[]}`,
		`{"at":"2026-11-22T10:00:00Z","steps":[]}`,
		`{"at":"2026-11-22T10:00:00.250+00:00","steps":[]}`,
		`{"at":"2026-02-30T10:00:00.250Z","steps":[]}`,
		`{"at":"2026-11-22T10:00:00.250Z","steps":null}`,
		`{"at":"2026-11-22T10:00:00.250Z","steps":[null]}`,
		`{"at":"2026-11-22T10:00:00.250Z","steps":[{"note":"no name"}]}`,
		`{"at":"2026-11-22T10:00:00.250Z","steps":[{"Name":"sing"}]}`,
		`{"at":"2026-11-22T10:00:00.250Z","steps":[],"extras":null}`,
		`{"at":"2026-11-22T10:00:00.250Z","steps":[],"extras":{"x":{}}}`,
		`{"at":"2026-11-22T10:00:00.250Z","steps":[],"raw":{"a":1,"a":2}}`,
	} {
		if got, err := decode(body); !errors.Is(err, sdk.ErrRequestInvalid) {
			t.Errorf("Decode(%s): %+v, error %v, want %v", body, got, err, sdk.ErrRequestInvalid)
		}
	}
}
