package publication_test

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// published holds all scripts, by address.
var published = map[string]string{
	"/board/1.0.0":                                     scriptText("board", "ui/index.js"),
	"/board/1.0.0/display":                             scriptText("board", "display/index.js"),
	"/clock/1.0.0/contributions/clock.slide":           scriptText("clock", "contributions/slide.js"),
	"/clock/1.0.0/contributions/clock.digits":          scriptText("clock", "contributions/digits.js"),
	"/agenda/2.0.0-rc.1+b5":                            scriptText("agenda", "ui/index.js"),
	"/agenda/2.0.0-rc.1%2Bb5":                          scriptText("agenda", "ui/index.js"),
	"/agenda/2.0.0-rc.1+b5/contributions/agenda.slide": scriptText("agenda", "contributions/slide.js"),
	"/screen/1.0.0/display":                            scriptText("screen", "display/index.js"),
}

func etagOf(script string) string { return fmt.Sprintf(`"%x"`, sha256.Sum256([]byte(script))) }

// TestScripts requests every script with every form of If-None-Match. No principal is resolved and no cookie
// read.
func TestScripts(t *testing.T) {
	t.Parallel()
	h := setup(t)
	for path, script := range published {
		etag, other := etagOf(script), etagOf("another")
		for name, row := range map[string]struct {
			tags []string
			has  bool
		}{
			"none":           {nil, false},
			"strong":         {[]string{etag}, true},
			"weak":           {[]string{"W/" + etag}, true},
			"any":            {[]string{" * "}, true},
			"list":           {[]string{other + ", " + etag}, true},
			"tight list":     {[]string{other + "," + etag + "," + other}, true},
			"weak in a list": {[]string{`"", W/` + other + " ,\t W/" + etag}, true},
			"empty elements": {[]string{", ," + etag + ",,"}, true},
			"comma in a tag": {[]string{`"a,b", ` + etag}, true},
			"two lines":      {[]string{other, etag}, true},
			"other":          {[]string{other}, false},
			"weak other":     {[]string{"W/" + other}, false},
			"unquoted":       {[]string{strings.Trim(etag, `"`)}, false},
			"lower w":        {[]string{"w/" + etag}, false},
			"within a tag":   {[]string{`"x` + strings.Trim(etag, `"`) + `"`}, false},
			"upper case":     {[]string{strings.ToUpper(etag)}, false},
			"quoted star":    {[]string{`"*"`}, false},
			"star in a list": {[]string{other + ", *"}, false},
			"empty":          {[]string{""}, false},
			"open":           {[]string{strings.TrimSuffix(etag, `"`)}, false},
			"no comma":       {[]string{other + " " + etag}, false},
		} {
			headers := []string{"Cookie", "narthex_session=x; narthex_device=y"}
			for _, tag := range row.tags {
				headers = append(headers, "If-None-Match", tag)
			}
			for _, method := range []string{http.MethodGet, http.MethodHead} {
				want := http.Header{
					"Cache-Control":          {"no-cache"},
					"Etag":                   {etag},
					"Vary":                   {"Origin, Accept-Encoding"},
					"X-Content-Type-Options": {"nosniff"},
				}
				status, body := http.StatusNotModified, ""
				if !row.has {
					status = http.StatusOK
					want["Content-Type"] = []string{"text/javascript; charset=utf-8"}
					want["Content-Length"] = []string{strconv.Itoa(len(script))}
					if method == http.MethodGet {
						body = script
					}
				}
				w := h.send(t, method, inventory+path, headers...)
				if w.Code != status || w.Body.String() != body || !reflect.DeepEqual(headerOf(w), want) {
					t.Errorf("%s %s, %s: status %d, want %d; body %q, want %q; header %v, want %v", method,
						path, name, w.Code,
						status, w.Body, body, headerOf(w), want)
				}
			}
		}
	}
	if h.resolved.Load() != 0 || h.asked.Load() != 0 || h.renewed.Load() != 0 {
		t.Error("a principal was resolved")
	}
}

// TestUnpublishedScriptsAreRefusedAlike checks that all responses for unpublished scripts are equal, so that
// none reveals the reason.
func TestUnpublishedScriptsAreRefusedAlike(t *testing.T) {
	t.Parallel()
	h := setup(t)
	want := h.send(t, http.MethodGet, "/api/v1/nowhere")
	wantCode(t, want, http.StatusNotFound, "NOT_FOUND")
	for _, path := range []string{
		"/ghost/1.0.0", // not installed
		"/ghost/1.0.0/display",
		"/plain/1.0.0", // has no page
		"/clock/1.0.0",
		"/screen/1.0.0",
		"/plain/1.0.0/display",
		"/agenda/2.0.0-rc.1+b5/display",
		"/board/0.9.0", // stale
		"/board/1.0.1/display",
		"/board/1.0",
		"/board/v1.0.0",
		"/agenda/2.0.0-rc.1",
		"/clock/1.1.0/contributions/clock.slide",
		"/off/1.0.0", // disabled
		"/off/1.0.0/display",
		"/off/1.0.0/contributions/off.slide",
		"/stuck/1.0.0",                            // blocked
		"/clock/1.0.0/contributions/clock.future", // the provider is out of range
		"/clock/1.0.0/contributions/clock.typo",   // the provider's module is installed, but has no such capability
		"/clock/1.0.0/contributions/clock.lonely", // no module provides it
		"/clock/1.0.0/contributions/clock.early",  // its provider does not run
		"/clock/1.0.0/contributions/display",
		"/clock/1.0.0/contributions/agenda.slide",
		"/board/1.0.0/contributions/clock.slide", // the contributor publishes it, not the provider
		"/board/1.0.0/ui/index.js",               // a file's path is not an address
		"/board/1.0.0/index.js.map",
		"/board/1.0.0.map",
		"/board/1.0.0/display.map",
		"/board/1.0.0%2Fdisplay",
		"/board/1.0.0/",
		"/board//1.0.0",
		"//1.0.0",
		"/board/",
		"/board",
		"/board/%00",
		"/board/1.0.0/../1.0.0",
		"/..%2Fboard/1.0.0",
		"/clock/1.0.0/contributions/",
		"/clock/1.0.0/contributions/..%2F..%2Fmodule.json",
		"/BOARD/1.0.0",
		"/board/1.0.0/Display",
	} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			w := h.send(t, method, inventory+path, "If-None-Match", "*")
			if w.Code != want.Code || w.Body.String() != want.Body.String() ||
				!reflect.DeepEqual(headerOf(w), headerOf(want)) {
				t.Errorf("%s %s: status %d; body %s; header %v, want the same 404 as for an unknown module",
					method, path,
					w.Code, w.Body, headerOf(w))
			}
		}
	}
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions} {
		for path := range published {
			wantCode(t, h.send(t, method, inventory+path), http.StatusNotFound, "NOT_FOUND")
		}
	}
	if h.resolved.Load() != 0 {
		t.Error("a principal was resolved")
	}
}

// TestProviderDecides requests the same contribution with its provider running and not.
func TestProviderDecides(t *testing.T) {
	t.Parallel()
	installed := discover(t, packages)
	without := maps.Clone(packages)
	delete(without, "board")
	const early, slide = inventory + "/clock/1.0.0/contributions/clock.early", inventory +
		"/clock/1.0.0/contributions/clock.slide"
	for name, row := range map[string]struct {
		house        *fixture
		early, slide int
	}{
		"both":     {start(t, installed), http.StatusOK, http.StatusOK},
		"none":     {start(t, installed, "board", "off"), http.StatusNotFound, http.StatusNotFound},
		"one":      {start(t, installed, "board"), http.StatusOK, http.StatusNotFound},
		"absent":   {start(t, discover(t, without)), http.StatusOK, http.StatusNotFound},
		"disabled": {start(t, installed, "clock"), http.StatusNotFound, http.StatusNotFound},
	} {
		if w := row.house.send(t, http.MethodGet, early); w.Code != row.early {
			t.Errorf("%s: GET %s: status %d, want %d", name, early, w.Code, row.early)
		}
		if w := row.house.send(t, http.MethodGet, slide); w.Code != row.slide {
			t.Errorf("%s: GET %s: status %d, want %d", name, slide, w.Code, row.slide)
		}
	}
}

// TestManyAtOnce sends concurrent requests. Under the race detector it shows that the shared header values
// are not modified.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	h := setup(t)
	var readers sync.WaitGroup
	for range 8 {
		readers.Go(func() {
			for range 50 {
				for path, script := range published {
					if w := h.send(t, http.MethodGet, inventory+path); w.Body.String() != script {
						t.Errorf("%v: send: Body %.200q, want %.200q", path, w.Body.String(), script)
					}
					h.send(t, http.MethodHead, inventory+path, "If-None-Match", "*", "Origin", "https://church.example.org")
				}
			}
		})
	}
	readers.Wait()
}
