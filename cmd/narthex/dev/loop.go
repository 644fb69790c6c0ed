package dev

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/cmd/narthex/platform"
	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/services/environment"
)

// loop runs the platform with the modules' sources, one generation after another. After each save it builds
// packages, checks them, migrates, starts the next generation, and stops the previous one. If a step fails,
// the previous generation continues to serve, and the author sees the failure on the terminal and on the open
// pages.
type loop struct {
	program  *cli.Program
	lookup   environment.Lookup
	supplies devSupplies
	listener *net.TCPListener
	workshop *workshop
	sources  []source
	pages    *pages
	console  *console
	log      *zap.Logger
	advise   func(moduleID string) string // what to do after an edit of a migration that was applied

	current *generation
	pending map[string]change // saved, but not in a running generation yet
}

// lookupWith adds the modules directory of one generation.
func (l *loop) lookupWith(modulesDir string) environment.Lookup {
	return func(name string) (string, bool) {
		if name == "SERVICE_MODULES_DIR" {
			return modulesDir, true
		}
		return l.lookup(name)
	}
}

func (l *loop) settings(modulesDir string) (environment.Settings, error) {
	return environment.Load(l.lookupWith(modulesDir), environment.Everything)
}

// makeAll builds the first packages. It compiles only sources that are newer than their result.
func (l *loop) makeAll(ctx context.Context) (modulesDir string, err error) {
	for _, s := range l.sources {
		if err := l.workshop.build(ctx, s, outdated(s)); err != nil {
			return "", err
		}
		if err := l.workshop.pack(s); err != nil {
			return "", err
		}
	}
	return l.workshop.modulesDir(l.sources)
}

// follow starts a new generation after every save, until ctx ends or the platform fails. Then nothing runs
// any more.
func (l *loop) follow(ctx context.Context) error {
	watching, end := context.WithCancel(ctx)
	w, err := watch(watching, l.sources)
	if err != nil {
		end()
		return errors.Join(err, l.current.stop())
	}
	defer func() {
		end()
		<-w.ended
	}()
	l.pending = make(map[string]change)
	for {
		select {
		case <-ctx.Done():
			return l.current.stop()
		case <-l.current.ended:
			return l.current.err
		case saved := <-w.saved:
			for id, what := range saved {
				l.pending[id] |= what
			}
			l.update(ctx)
		}
	}
}

// update tries to run the pending changes, and reports the result to the author.
func (l *loop) update(ctx context.Context) {
	began := time.Now()
	names := ""
	for _, s := range l.sources {
		if l.pending[s.id] != 0 {
			names = strings.TrimPrefix(names+", "+s.id, ", ")
		}
	}
	l.console.forget()
	err := l.replace(ctx)
	switch {
	case ctx.Err() != nil:
	case err != nil:
		failure := l.explain(names, err)
		fmt.Fprintf(l.program.Stdout, "\n%s: %s failed. What was saved before still runs.\n%s\n\n", failure.Module,
			failure.Step, failure.Text)
		l.pages.update(func(state *pageState) { state.Failure = failure })
	default:
		var running []string
		for _, s := range l.sources {
			if l.pending[s.id] != 0 && l.current.server.Blocked(s.id) == "" {
				running = append(running, s.id)
			}
		}
		l.pending = make(map[string]change)
		l.pages.update(func(state *pageState) {
			state.Failure = nil
			state.Generation++
		})
		if names := strings.Join(running, ", "); names != "" {
			fmt.Fprintf(l.program.Stdout, "%s runs, %d ms after it was saved\n", names,
				(time.Since(began) + settled).Milliseconds())
		}
		l.tellBlocked()
	}
}

// tellBlocked tells which modules do not run, and why.
func (l *loop) tellBlocked() {
	for _, s := range l.sources {
		if why := l.current.server.Blocked(s.id); why != "" {
			fmt.Fprintf(l.program.Stdout, "%s is blocked: %s\n", s.id, why)
		}
	}
}

// tellUnmatched tells which modules name something almost as another module does, or contribute to something
// that no module provides.
func (l *loop) tellUnmatched(installed *catalog.Catalog) {
	for _, sentence := range platform.Misspelt(installed, "") {
		fmt.Fprintln(l.program.Stdout, sentence)
	}
	for _, c := range platform.ListContributions(installed, "") {
		if c.Provider == nil {
			fmt.Fprintf(l.program.Stdout, "%s: nobody sees %s, because no module here provides %s %s; "+
				"--module-dir adds one\n", c.ModuleID, c.ID, c.Capability, c.Range)
		}
	}
}

// replace starts the next generation and stops the previous one.
func (l *loop) replace(ctx context.Context) error {
	migrate := false
	repack := make(map[string]bool)
	for _, s := range l.sources {
		what := l.pending[s.id]
		if what == 0 {
			continue
		}
		if err := l.workshop.build(ctx, s, what); err != nil {
			return err
		}
		migrate = migrate || what&changedMigrations != 0
		repack[s.id] = true
		if o, _, err := readOutline(s.folder); err == nil && what&(changedScripts|changedPackage) != 0 {
			for _, receiver := range o.receivers() {
				repack[receiver] = true // its page shows the changed contribution
			}
		}
	}
	for _, s := range l.sources {
		if repack[s.id] {
			if err := l.workshop.pack(s); err != nil {
				return err
			}
		}
	}
	modulesDir, err := l.workshop.modulesDir(l.sources)
	if err != nil {
		return err
	}
	settings, err := l.settings(modulesDir)
	if err != nil {
		return err
	}
	installed, err := platform.InstalledModules(settings)
	if err != nil {
		return &stepError{"", "checking the manifest", err.Error()}
	}
	if migrate {
		if err := l.migrate(ctx, modulesDir); err != nil {
			return err
		}
	}
	next, err := l.startGeneration(ctx, modulesDir)
	if err != nil {
		return err
	}
	before := l.current
	l.current = next
	if err := before.stop(); err != nil {
		platform.Report(l.program.Stderr, err) // the next generation serves already
	}
	l.workshop.clear(modulesDir)
	l.tellUnmatched(installed)
	return nil
}

var editedMigration = regexp.MustCompile(`^MIGRATION_HISTORY_CHANGED: .*\((\S+) \d{4}_`)

// migrate runs migrations:apply as an operator does, in a process of its own.
func (l *loop) migrate(ctx context.Context, modulesDir string) error {
	executable, err := os.Executable()
	if err != nil {
		return err
	}
	apply := exec.CommandContext(ctx, executable, "migrations:apply")
	apply.Env = []string{"SERVICE_MODULES_DIR=" + modulesDir}
	for _, name := range []string{"NODE_ENV", "DATABASE_URL"} {
		value, _ := l.lookup(name)
		apply.Env = append(apply.Env, name+"="+value)
	}
	var said bytes.Buffer
	apply.Stderr = &said
	if err := apply.Run(); err == nil {
		return nil
	}
	text := strings.TrimSpace(said.String())
	if match := editedMigration.FindStringSubmatch(text); match != nil {
		text += "\n" + l.advise(match[1])
	}
	return &stepError{"", "migrations:apply", text}
}

// explain describes a failure: with the text of the step, or with that of the platform's start and what the
// log and the module wrote meanwhile.
func (l *loop) explain(modules string, err error) *pageFailure {
	if step := (*stepError)(nil); errors.As(err, &step) {
		if step.module != "" {
			modules = step.module
		}
		return &pageFailure{modules, step.step, step.text}
	}
	var text strings.Builder
	if said := l.console.recentLines(); said != "" {
		text.WriteString(said + "\n")
	}
	platform.Report(&text, err)
	return &pageFailure{modules, "the start", strings.TrimSpace(text.String())}
}
