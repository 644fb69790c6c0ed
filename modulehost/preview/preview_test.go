package preview_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/preview"
)

// screens holds the numbers of paired screens, by module.
type screens struct {
	counts map[string]int
	err    error
	asked  []string
}

func (s *screens) PairedScreens(_ context.Context, moduleIDs []string) (map[string]int, error) {
	s.asked = moduleIDs
	counts := make(map[string]int)
	for _, id := range moduleIDs {
		counts[id] = s.counts[id]
	}
	return counts, s.err
}

// install writes a module with or without a display.
func install(t *testing.T, dir, id, members string, display bool) {
	t.Helper()
	if display {
		members = `, "permissions": [{"id": "` + id + `.see", "baseline": "restricted"}],
			"entrypoints": {"display": {"artifact": "display.js", "permission": "` + id + `.see"}}` + members
	}
	for name, text := range map[string]string{
		"module.json": `{"manifestVersion": 7, "id": "` + id + `", "name": "The ` + id + `", "version": "1.0.0",
			"compatibility": {"platform": "*", "moduleSdk": "*"}` + members + `}`,
		"display.js": "export {}",
	} {
		file := filepath.Join(dir, id, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755),
			os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
}

func without(disabled ...string) catalog.State {
	return catalog.State{Enabled: func(id string) bool { return !slices.Contains(disabled, id) }}
}

func TestScreens(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	needsBoard := `, "dependencies": {"required": [{"kind": "module", "id": "board", "range": "*"}]}`
	install(t, dir, "board", "", true)
	install(t, dir, "stage", needsBoard, true)
	install(t, dir, "quiet", needsBoard, false)
	install(t, dir, "other", "", true)
	installed, err := catalog.Discover(dir, true, "0.1.2")
	if err != nil {
		t.Fatal(err)
	}
	paired := &screens{counts: map[string]int{"board": 2, "stage": 1, "quiet": 5, "other": 7}}
	for _, row := range []struct {
		name         string
		next         catalog.State
		changed      catalog.State
		modules      int
		screens      string
		askedAnybody bool
	}{
		{"nothing", without(), without(), 0, `[]`, false},
		{"one ends, another with it", without(), without("board"), 3,
			`[{"moduleId":"board","count":2},{"moduleId":"stage","count":1}]`, true},
		{"both begin", without("board"), without(), 3,
			`[{"moduleId":"board","count":2},{"moduleId":"stage","count":1}]`, true},
		{"one that did not run", without("board"), without("board", "stage"), 1, `[]`, false},
		{"one without a display", without(), without("quiet"), 1, `[]`, false},
	} {
		paired.asked = nil
		waiting, changed := installed.Resolve(row.next), installed.Resolve(row.changed)
		p, err := preview.New(t.Context(), installed,
			preview.Starts{Started: installed.Resolve(without("other")), Next: waiting, Changed: changed}, paired)
		if err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(p.Screens)
		if err != nil || string(got) != row.screens || len(p.Modules) != row.modules ||
			len(p.Waiting) == 0 || (paired.asked != nil) != row.askedAnybody {
			t.Errorf("%s: screens %s, want %s; %d modules, want %d; asked for %v", row.name, got, row.screens,
				len(p.Modules), row.modules, paired.asked)
		}
	}
	paired.counts["stage"] = 0
	starts := preview.Starts{
		Started: installed.Resolve(without()), Next: installed.Resolve(without()),
		Changed: installed.Resolve(without("board")),
	}
	p, err := preview.New(t.Context(), installed, starts, paired)
	if err != nil || len(p.Screens) != 1 {
		t.Errorf("a module without screens: %+v, %v, want board alone", p.Screens, err)
	}
	paired.err = errors.New("down")
	if _, err := preview.New(t.Context(), installed, starts, paired); !errors.Is(err, paired.err) {
		t.Errorf("with a store that is down: %v", err)
	}
}
