package dev

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// settled is how long no file must have been written before a batch is complete: an editor writes a file in
// several steps.
const settled = 50 * time.Millisecond

// watcher reports which files of modules are saved. It watches folders and not files, because editors replace
// files.
type watcher struct {
	events  *fsnotify.Watcher
	sources []source
	saved   chan map[string]change // by module id; one batch waits here, and later changes are merged into it
	ended   chan struct{}
}

func watch(ctx context.Context, sources []source) (*watcher, error) {
	events, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	w := &watcher{events: events, sources: sources, saved: make(chan map[string]change, 1),
		ended: make(chan struct{})}
	for _, s := range sources {
		w.add(s.folder)
	}
	go w.run(ctx)
	return w, nil
}

// add watches a folder and everything below it. A folder that disappears meanwhile is skipped.
func (w *watcher) add(folder string) {
	_ = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil || !entry.IsDir():
			return nil
		case path != folder && ignoredFolder(entry.Name()):
			return fs.SkipDir
		}
		_ = w.events.Add(path)
		return nil
	})
}

func ignoredFolder(name string) bool {
	return strings.HasPrefix(name, ".") || name == "node_modules" || name == "bin" || name == "testdata"
}

// run collects changes until ctx ends.
func (w *watcher) run(ctx context.Context) {
	defer close(w.ended)
	defer w.events.Close()
	collected := make(map[string]change)
	quiet := time.NewTimer(time.Hour)
	quiet.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case event, open := <-w.events.Events:
			if !open {
				return
			}
			if event.Has(fsnotify.Create) {
				if info, err := os.Stat(event.Name); err == nil && info.IsDir() &&
					!ignoredFolder(filepath.Base(event.Name)) {
					w.add(event.Name)
				}
			}
			if id, what := w.judge(event); what != 0 {
				collected[id] |= what
				quiet.Reset(settled)
			}
		case <-w.events.Errors: // the kernel's queue overflowed: everything may have changed
			for _, s := range w.sources {
				collected[s.id] |= changedServer | changedScripts | changedMigrations | changedPackage
			}
			quiet.Reset(settled)
		case <-quiet.C:
			select {
			case waiting := <-w.saved:
				for id, what := range waiting {
					collected[id] |= what
				}
			default:
			}
			w.saved <- collected
			collected = make(map[string]change)
		}
	}
}

// judge returns what a saved file means for its module; 0 means nothing.
func (w *watcher) judge(event fsnotify.Event) (id string, what change) {
	name := filepath.Base(event.Name)
	if event.Op == fsnotify.Chmod || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "#") ||
		strings.HasSuffix(name, "~") || strings.HasSuffix(name, "_test.go") ||
		strings.HasSuffix(name, ".test.ts") || strings.HasSuffix(name, ".md") {
		return "", 0
	}
	for _, s := range w.sources {
		path, err := filepath.Rel(s.folder, event.Name)
		if err != nil || path == ".." || strings.HasPrefix(path, "../") {
			continue
		}
		return s.id, changeOf(filepath.ToSlash(path))
	}
	return "", 0
}

// changeOf classifies a path relative to the module's folder.
func changeOf(path string) change {
	first, _, _ := strings.Cut(path, "/")
	switch ending := filepath.Ext(path); {
	case path == "module.json":
		return changedMigrations | changedPackage
	case ending == ".go", path == "go.mod", path == "go.sum":
		return changedServer
	case strings.HasSuffix(first, "-src"):
		return changedScripts
	case ending == ".sql":
		return changedMigrations
	case ending == ".js":
		return changedPackage
	}
	return 0
}
