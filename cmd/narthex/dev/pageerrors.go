package dev

import (
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/narthex-platform/narthex/web"
	"github.com/narthex-platform/narthex/web/bundle"
)

const (
	errorPath    = "/_dev/error"
	mapPath      = "/_dev/map/" // then a module's id and the path of its script
	maxPageError = 64 << 10     // bytes of a report
	maxFrames    = 8            // lines of a stack that are shown
)

// pageErrors tells the author what goes wrong in the code that browsers run, with places in the sources. Open
// pages report it (page.js). Safe for concurrent use.
type pageErrors struct {
	console *console
	folders map[string]string // by module id

	mu    sync.Mutex
	texts map[string][]byte            // source maps by module id and script, as in mapPath
	maps  map[string]*bundle.SourceMap // the same
}

func newPageErrors(c *console, sources []source) *pageErrors {
	e := &pageErrors{console: c, folders: make(map[string]string),
		texts: make(map[string][]byte), maps: make(map[string]*bundle.SourceMap)}
	for _, s := range sources {
		e.folders[s.id] = s.folder
	}
	return e
}

// keep keeps the source maps of a module's scripts, which replace earlier ones.
func (e *pageErrors) keep(moduleID string, scripts []bundle.Script) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, script := range scripts {
		name := moduleID + "/" + script.Path
		e.texts[name] = script.Map
		delete(e.maps, name)
	}
}

// text returns the source map of a script. Scripts that did not have to be built when dev started are
// bundled for it.
func (e *pageErrors) text(moduleID, script string) []byte {
	name := moduleID + "/" + script
	e.mu.Lock()
	text, found := e.texts[name]
	e.mu.Unlock()
	folder := e.folders[moduleID]
	if found || folder == "" {
		return text
	}
	if sdk, err := bundle.ReadSDK(web.SDK()); err == nil {
		if scripts, err := bundle.Module(folder, sdk); err == nil {
			e.keep(moduleID, scripts)
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.texts[name]
}

func (e *pageErrors) sourceMap(moduleID, script string) *bundle.SourceMap {
	text := e.text(moduleID, script)
	e.mu.Lock()
	defer e.mu.Unlock()
	name := moduleID + "/" + script
	if read, found := e.maps[name]; found {
		return read
	}
	read, err := bundle.ReadSourceMap(text)
	if err != nil {
		read = nil // a script without sources here
	}
	e.maps[name] = read
	return read
}

// placeInScript is a place of a module's script in an error's stack: module, version, which script, line and
// column.
var placeInScript = regexp.MustCompile(`https?://[^\s()]*?/api/v1/module-ui/([^\s()/]+)/[^\s()/#?:]+` +
	`((?:/[^\s()/#?:]+)*)(?:[#?][^\s():]*)?:(\d+):(\d+)`)

// frame is a line of a stack, whose function has a name of the bundler's.
var frame = regexp.MustCompile(`^(?:at .*\(|[^@]*@)([^)]*)\)?$`)

// scriptAt returns the path of a script in its module's folder by the end of its URL.
func (o outline) scriptAt(end string) string {
	switch name, rest, _ := strings.Cut(strings.TrimPrefix(end, "/"), "/"); name {
	case "":
		return o.Entrypoints.UI
	case "display":
		return o.Entrypoints.Display.Artifact
	case "link":
		return o.Entrypoints.Link.Artifact
	case "contributions":
		for _, c := range o.Contributions {
			if c.ID == rest {
				return c.Artifact
			}
		}
	}
	return ""
}

// inSources replaces the places of scripts in a line of a stack by those of the sources. module is the first
// one of them; "" if there is none.
func (e *pageErrors) inSources(line string) (text, module string) {
	text = placeInScript.ReplaceAllStringFunc(line, func(found string) string {
		parts := placeInScript.FindStringSubmatch(found)
		id, err := url.PathUnescape(parts[1])
		o, _, readErr := readOutline(e.folders[id])
		if err != nil || readErr != nil {
			return found
		}
		module = id
		at, _ := strconv.Atoi(parts[3]) // digits; too many of them are a place that does not exist
		column, _ := strconv.Atoi(parts[4])
		script := o.scriptAt(parts[2])
		if m := e.sourceMap(id, script); m != nil {
			if place := m.Source(at, column); place != "" {
				return place
			}
		}
		return fmt.Sprintf("%s:%s:%s", script, parts[3], parts[4])
	})
	return text, module
}

// explain returns an error's text with places in the sources, and the module that it belongs to. Frames of
// the platform's own scripts are left out.
func (e *pageErrors) explain(r pageReport) *pageFailure {
	failure := &pageFailure{Module: r.Module, Step: "this page"}
	text := strings.TrimSpace(r.Text)
	frames := 0
	for line := range strings.Lines(r.Stack) {
		line = strings.TrimRight(line, "\r\n")
		mapped, module := e.inSources(line)
		if module == "" || frames == maxFrames {
			continue
		}
		if frames++; frames == 1 {
			failure.Module = module
		}
		text += "\n    " + frame.ReplaceAllString(strings.TrimSpace(mapped), "at $1")
	}
	if frames == 0 && e.folders[r.Module] == "" {
		return nil
	}
	failure.Text = text
	return failure
}

// pageReport is what a page has noticed.
type pageReport struct {
	Module string `json:"module"` // the module that the page shows; "": none
	Text   string `json:"text"`
	Stack  string `json:"stack"`
}

// serve takes a page's report, tells it on the terminal, and answers with what the page shows.
func (e *pageErrors) serve(w http.ResponseWriter, r *http.Request) {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	var report pageReport
	err := json.NewDecoder(io.LimitReader(r.Body, maxPageError)).Decode(&report)
	if err != nil || kind != "application/json" { // which pages of other origins cannot send
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	failure := e.explain(report)
	if failure != nil {
		_, _ = io.WriteString(e.console.writerFor(failure.Module), failure.Text+"\n")
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(failure)
}

// serveMap serves a source map to the browser's tools for developers.
func (e *pageErrors) serveMap(w http.ResponseWriter, path string) {
	id, script, _ := strings.Cut(path, "/")
	text := e.text(id, script)
	if text == nil {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(text)
}
