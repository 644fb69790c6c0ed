package conformance

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/narthex-platform/narthex/modulehost/archive"
	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/process"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

// patience is the timeout of a whole request: the platform's timeout for the module, and a margin.
const patience = 40 * time.Second

// exitWithin is how long a process may run after its host is gone.
const exitWithin = 5 * time.Second

// trial is the state of one trial.
type trial struct {
	options Options
	log     *record
	users   *process.Users
	own     *process.Credential

	temporary string // the trial's own modules directory
	source    error  // why there is no module
	module    *catalog.Module
	files     tree // of the module's folder, at the beginning

	database *scratch // nil: the module has none, or none could be opened
	migrated bool
	first    *firstRun
	live     *installation // nil: not started, or already ended
	dead     error         // why it cannot start, so that no later check waits for that again
	answers  answers
	broken   error // the trial itself could not be carried out
}

func newTrial(options Options) (_ *trial, err error) {
	if options.response == 0 {
		options.response = patience
	}
	if options.deadlines.Exit == 0 {
		options.deadlines.Exit = exitWithin
	}
	if options.calls == 0 {
		options.calls = manyCalls
	}
	t := &trial{options: options, log: &record{}}
	if t.users, err = process.NewUsers(); err != nil {
		return nil, err
	}
	if t.temporary, err = os.MkdirTemp("", "narthex-conform-"); err != nil {
		return nil, err
	}
	if err := os.Chmod(t.temporary, 0o755); err != nil { // for a module with its own user
		return nil, errors.Join(err, os.RemoveAll(t.temporary))
	}
	t.open()
	return t, nil
}

// open copies the module to where the platform would have it.
func (t *trial) open() {
	info, err := os.Stat(t.options.Package)
	if err != nil {
		t.source = archive.ErrUnreadable
		return
	}
	folder := t.options.Package
	if !info.IsDir() {
		installed, err := archive.Install(t.temporary, t.options.Package, abi.PlatformVersion, archive.Checks{})
		if err != nil {
			t.source = err
			return
		}
		folder = filepath.Join(t.temporary, installed.ID)
	}
	if folder, err = filepath.Abs(folder); err != nil {
		t.source = archive.ErrUnreadable
		return
	}
	if t.module, err = catalog.Inspect(folder, abi.PlatformVersion); err != nil {
		t.source = err
		return
	}
	t.own = t.users.Draw(t.module.Manifest.ID)
	if t.files, err = readTree(t.module.Folder); err != nil {
		t.broken = fmt.Errorf("read the module's folder: %w", err)
	}
}

// close ends all processes and deletes all files.
func (t *trial) close() error {
	t.stopLive()
	var err error
	if t.database != nil {
		err = t.database.close()
	}
	return errors.Join(err, os.RemoveAll(t.temporary))
}

// need returns why a check does not apply; nil if it applies.
func (t *trial) need(n need) *outcome {
	missing := func(why string) *outcome { return &outcome{verdict: NotApplicable, seen: why} }
	switch {
	case n == needNothing:
		return nil
	case t.module == nil:
		return missing("the package is not valid")
	case n == needModule:
		return nil
	case n == needDatabase && t.module.Manifest.Database == nil:
		return missing("the module has no database")
	case n == needDatabase:
		return nil
	case !t.module.HasServer():
		return missing("the module has no server")
	case t.module.Manifest.Database != nil && !t.migrated:
		return missing("the migrations were not applied")
	case n == needServer:
		return nil
	}
	if err := t.startLive(); err != nil {
		return missing("the module did not start")
	}
	switch {
	case n == needRoutes && len(t.live.process.Routes()) == 0:
		return missing("the module has no route")
	case n == needChannels && len(t.live.process.Channels()) == 0:
		return missing("the module has no channel")
	}
	return nil
}

func passed(format string, values ...any) outcome {
	return outcome{verdict: Passed, seen: fmt.Sprintf(format, values...)}
}

func failed(format string, values ...any) outcome {
	return outcome{verdict: Failed, seen: fmt.Sprintf(format, values...)}
}

// broken is a failure that breaks a rule of docs/link.md; "": none that is known.
func broken(rule, format string, values ...any) *outcome {
	o := failed(format, values...)
	o.rule = rule
	return &o
}

func notApplicable(why string) outcome { return outcome{verdict: NotApplicable, seen: why} }

// notCarriedOut ends the trial, because of a failure that is not the module's.
func (t *trial) notCarriedOut(err error) outcome {
	t.broken = errors.Join(t.broken, err)
	return outcome{verdict: NotApplicable, seen: "the check could not be carried out"}
}

// startLive starts the module behind the platform's table, unless it runs.
func (t *trial) startLive() error {
	if t.live != nil && !t.live.refused() {
		return nil
	}
	if t.dead == nil && t.first != nil && !t.first.ready {
		t.dead = t.first.ended
	}
	if t.dead != nil {
		return t.dead
	}
	t.stopLive()
	ctx, cancel := context.WithTimeout(context.Background(), deadlines.Register+deadlines.Start)
	defer cancel()
	t.live, t.dead = t.install(ctx)
	return t.dead
}

func (t *trial) stopLive() {
	if t.live != nil {
		t.live.stop()
		t.live = nil
	}
}
