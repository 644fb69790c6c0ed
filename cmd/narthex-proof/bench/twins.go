package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// The languages of testdata/twin, one module written twice.
const (
	inGo         = "go"
	inTypeScript = "script"
)

// The routes of the twins, and those of PocketBase whose hooks in JavaScript do the same.
const (
	twinSources    = "cmd/narthex-proof/bench/testdata/twin/"
	twinPath       = "/api/v1/modules/twin"
	pocketbaseTwin = "/twin"
)

// twins are rows of a module in TypeScript; the limit's column has the same module in Go.
func twins() []row {
	beside := func(work, unit string, reach goal, of figure) row {
		return row{work: work, unit: unit, goal: reach, run: only(inTwin(inTypeScript, of)),
			quiet: inTwin(inGo, of)}
	}
	requests := func(work, path string) row {
		r := beside(work, "requests/s", toLimit(atLeast, 0.35), rate(signedIn(twinPath+path, connections)))
		r.peers = map[string]pair{pocketbase: throughput(signedIn(pocketbaseTwin+path, connections))}
		return r
	}
	return []row{
		requests("script GET one query, 32 at once / Go", "/query"),
		requests("script GET 64 KiB of JSON, 32 at once / Go", "/list"),
		beside("script module to ready / Go", "ms", toLimit(atMost, 3), moduleReadiness),
		beside("script RssAnon at rest / Go", "MiB", itself(atMost, 16), restingMemory),
		beside("script RssAnon after both / Go", "MiB", goal{}, modulesMemory),
	}
}

func rate(from senders) figure {
	return func(ctx context.Context, s *system, length time.Duration) (float64, error) {
		first, _, err := throughput(from)(ctx, s, length)
		return first, err
	}
}

// inTwin measures a platform with the module in one language, instead of the platform itself.
func inTwin(language string, of figure) figure {
	return func(ctx context.Context, s *system, length time.Duration) (float64, error) {
		if s.twin == nil {
			return 0, errors.New("has no twins")
		}
		twin, err := s.twin(ctx, language)
		if err != nil {
			return 0, err
		}
		return of(ctx, twin, length)
	}
}

// moduleReadiness measures from the start of the module's process to its first answer to the platform, which
// the platform writes, in milliseconds.
func moduleReadiness(_ context.Context, s *system, _ time.Duration) (float64, error) {
	b, err := begin(s, 1)
	if err != nil {
		return 0, err
	}
	var line struct {
		After float64 `json:"after"`
	}
	for b.output.Scan() {
		text := b.output.Text()
		if strings.Contains(text, `"msg":"module ready"`) {
			err = json.Unmarshal([]byte(text), &line)
			break
		}
	}
	if line.After == 0 {
		err = errors.Join(err, fmt.Errorf("the module is not ready: %s", b.output.Text()))
	}
	return line.After * 1000, errors.Join(err, b.awaitReady(), b.end())
}

// restingMemory measures the anonymous memory of the module's process that was just started, in MiB.
func restingMemory(ctx context.Context, s *system, _ time.Duration) (float64, error) {
	b, err := begin(s, 1)
	if err != nil {
		return 0, err
	}
	err = errors.Join(b.awaitReady(), wait(ctx, idle))
	bytes, unread := anonymousMemory(family(b.command.Process.Pid)[1:])
	return float64(bytes) / (1 << 20), errors.Join(err, unread, b.end())
}

// modulesMemory measures the anonymous memory of the module's process after a load, in MiB.
func modulesMemory(ctx context.Context, s *system, length time.Duration) (float64, error) {
	for _, path := range []string{"/query", "/list"} {
		if _, err := rate(signedIn(twinPath+path, connections))(ctx, s, length); err != nil {
			return 0, err
		}
	}
	if err := wait(ctx, idle); err != nil {
		return 0, err
	}
	bytes, err := anonymousMemory(family(s.command.Process.Pid)[1:])
	return float64(bytes) / (1 << 20), err
}

// twinOf starts platforms with the module in one language, once each.
func (all *systems) twinOf(program string) func(context.Context, string) (*system, error) {
	return func(ctx context.Context, language string) (*system, error) {
		if there := all.twins[language]; there != nil {
			return there, nil
		}
		if len(all.twins) == 0 {
			if err := all.build(ctx, "twin", "./bench/testdata/twin"); err != nil {
				return nil, err
			}
		}
		i, err := all.installWith(ctx, "twin-"+language, program, all.writeTwin(language))
		if err != nil {
			return nil, err
		}
		started, err := i.start(ctx)
		if err == nil {
			all.twins[language] = started
		}
		return started, err
	}
}

// writeTwin writes the module in one language.
func (all *systems) writeTwin(language string) func(folder string) error {
	return func(folder string) error {
		home := filepath.Join(folder, "twin")
		server := `"bin/{os}-{arch}/twin"`
		if language == inTypeScript {
			server = `{"script": "server/index.js", "abi": 1}`
		}
		manifest := `{
  "manifestVersion": 7, "id": "twin", "name": "Twin", "version": "1.0.0",
  "compatibility": { "platform": "^0.1.0", "moduleSdk": "^0.1.0" },
  "permissions": [{ "id": "twin.use", "baseline": "authenticated" }],
  "entrypoints": { "server": ` + server + ` },
  "database": { "abi": 1, "migrations": "migrations" }
}
`
		bin := filepath.Join(home, "bin", runtime.GOOS+"-"+runtime.GOARCH)
		files := map[string]string{"0001_twins.sql": filepath.Join(home, "migrations", "0001_twins.sql")}
		err := os.MkdirAll(filepath.Join(home, "migrations"), 0o755)
		if language == inTypeScript {
			files["index.js"] = filepath.Join(home, "server", "index.js")
			err = errors.Join(err, os.MkdirAll(filepath.Join(home, "server"), 0o755))
		} else if err = errors.Join(err, os.MkdirAll(bin, 0o755)); err == nil {
			_, err = copyProgram(filepath.Join(all.folder, "twin"), filepath.Join(bin, "twin"))
		}
		err = errors.Join(err, os.WriteFile(filepath.Join(home, "module.json"), []byte(manifest), 0o644))
		for from, to := range files {
			text, unread := os.ReadFile(twinSources + from)
			err = errors.Join(err, unread, os.WriteFile(to, text, 0o644))
		}
		return err
	}
}
