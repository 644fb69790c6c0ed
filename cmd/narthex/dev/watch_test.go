package dev

import (
	"testing"

	"github.com/fsnotify/fsnotify"
)

// TestJudge: a saved file belongs to the module in whose folder it is.
func TestJudge(t *testing.T) {
	w := &watcher{sources: []source{{"choir", "/m/choir"}, {"choir-tools", "/m/choir-tools"}}}
	for path, want := range map[string]string{
		"/m/choir/main.go": "choir", "/m/choir-tools/main.go": "choir-tools", "/m/other/main.go": "",
		"/m/choir/go.mod":       "choir",
		"/m/choir/main_test.go": "", "/m/choir/.main.go": "", "/m/choir/..go/x.go": "choir",
	} {
		id, what := w.judge(fsnotify.Event{Name: path, Op: fsnotify.Write})
		if id != want || (what == 0) != (id == "") {
			t.Errorf("%s: a change of %q, want of %q", path, id, want)
		}
	}
}
