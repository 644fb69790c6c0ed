package conformance_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/modulehost/conformance"
)

// short is how long a trial in these tests waits for something that a broken module never does.
const short = 3 * time.Second

func TestASoundModulePassesEveryCheck(t *testing.T) {
	t.Parallel()
	all, _ := try(t, options(t, trialModule("sound").pack(t)))
	for check, r := range all {
		if r.Verdict != conformance.Passed {
			t.Errorf("%s: %s, want passed; asked %q, seen %q", check, r.Verdict, r.Asked, r.Seen)
		}
	}
}

// TestAChangedFolderIsSeen: a new file in the module's folder is detected. The sandbox allows no module to
// create one, so the test does.
func TestAChangedFolderIsSeen(t *testing.T) {
	t.Parallel()
	all, failed := try(t, options(t, trialModule("sound").pack(t)).Touched())
	if got := all["nothing written outside"]; !slices.Equal(failed, []string{got.Check}) ||
		!strings.Contains(got.Seen, "left-behind appeared") {
		t.Errorf("a file appeared in the module's folder: failed %q, %+v; want only that seen", failed, got)
	}
}

// TestLengthsOfBodies: a route gets the lengths around its limit, and around the longest body that is sent
// within a message.
func TestLengthsOfBodies(t *testing.T) {
	t.Parallel()
	for limit, want := range map[int64][]int64{
		1:       {0, 1, 2},
		100:     {0, 1, 99, 100, 101},
		8 << 10: {0, 1, 8<<10 - 1, 8 << 10, 8<<10 + 1},
		1 << 20: {0, 1, 8<<10 - 1, 8 << 10, 8<<10 + 1, 1<<20 - 1, 1 << 20, 1<<20 + 1},
	} {
		whole, chunked := conformance.LengthsFor(limit)
		for way, lengths := range map[string][]int64{"whole": whole, "chunked": chunked} {
			slices.Sort(lengths)
			if got := slices.Compact(lengths); !slices.Equal(got, want) {
				t.Errorf("bodies for a limit of %d bytes, %s: %v bytes, want %v", limit, way, got, want)
			}
		}
	}
}

// TestEachCheckSeesItsBrokenModule tests every row of the table with a module that breaks it, or with a guard
// of the host removed.
func TestEachCheckSeesItsBrokenModule(t *testing.T) {
	t.Parallel()
	with := func(name, path, content string) files {
		f := trialModule(name)
		f[path] = content
		return f
	}
	quick := []string{"package and manifest", "executable", "migrations apply", "registration", "routes answer"}
	for check, want := range map[string]struct {
		module files
		folder bool                  // it cannot be packed
		within conformance.Deadlines // deadlines that the module misses, for a shorter wait
		alter  func(conformance.Options) conformance.Options
		seen   string // a part of Result.Seen
	}{
		"package and manifest": {
			module: with("sound", "module.json", strings.Replace(trialManifest, "trial.use", "other.use", 2)),
			folder: true, seen: "MANIFEST_INVALID"},
		"executable": {module: with("sound", executablePath("sound"), "#!/bin/sh\n"), folder: true,
			seen: "ELF executable"},
		"migrations apply": {module: with("sound", "migrations/0001_things.sql", "CREATE TABLE 1;"),
			seen: "line 1"},
		"migrations twice": {module: with("sound", "migrations/0002_role.sql",
			"ALTER ROLE CURRENT_USER SET work_mem = '64MB';"), seen: "setting of the role changed"},
		"handshake": {module: trialModule("silent"), within: conformance.Deadlines{Register: short},
			seen: "deadline"},
		"registration": {module: trialModule("undeclared"), seen: "not declared in the manifest"},
		"start in time": {module: trialModule("starts-slowly"), within: conformance.Deadlines{Start: short},
			seen: "MODULE_START_TIMEOUT"},
		"stop in time": {module: trialModule("stops-slowly"), within: conformance.Deadlines{Stop: short},
			seen: "MODULE_STOP_TIMEOUT"},
		"stop twice": {module: trialModule("stops-once"), within: conformance.Deadlines{Stop: short},
			seen: "MODULE_STOP_TIMEOUT"},
		"stop after a partial start": {module: trialModule("waits-for-its-start"),
			within: conformance.Deadlines{Stop: short}, seen: "MODULE_STOP_TIMEOUT"},
		"routes answer":     {module: trialModule("panics"), seen: "MODULE_HANDLER_FAILED"},
		"the probe answers": {module: trialModule("wants-a-parameter"), seen: "status 400"},
		"denied callers": {module: trialModule("sound"), alter: conformance.Options.WithoutGates,
			seen: "reached the module"},
		"cancel frees a call": {module: trialModule("never-cancels"), within: conformance.Deadlines{Stuck: short},
			alter: func(o conformance.Options) conformance.Options { return o.Calls(8) }, seen: "go on"},
		// the trial may notice the exit before the missing response, or after it
		"bodies of every length": {module: trialModule("dies-of-a-body"), seen: "exit 3|MODULE_HANDLER_FAILED"},
		"answers within bounds":  {module: trialModule("long-headers"), seen: "the most is 16384"},
		"channel snapshots":      {module: trialModule("large-snapshot"), seen: "over 1 MiB"},
		"people":                 {module: trialModule("forgets-nobody"), seen: "FAILED"},
		"pages and scripts": {module: with("sound", "display/index.js", "export const answer = 42;"),
			seen: "no default export"},
		"memory":                  {module: trialModule("keeps"), seen: "MiB"},
		"crash and restart":       {module: trialModule("restless"), seen: "registration differs"},
		"ends with its host":      {module: trialModule("lingers"), seen: "was killed"},
		"output":                  {module: trialModule("prints"), seen: "dropped"},
		"nothing written outside": {module: trialModule("sets-its-role"), seen: "role"},
	} {
		t.Run(check, func(t *testing.T) {
			if testing.Short() && !slices.Contains(quick, check) {
				t.Skip("tries many checks before this one")
			}
			t.Parallel()
			path := ""
			if want.folder {
				path = want.module.write(t)
			} else {
				path = want.module.pack(t)
			}
			o := options(t, path).Within(want.within)
			if check != "memory" {
				o = o.Calls(200) // the memory check takes longer than all others together
			}
			if want.alter != nil {
				o = want.alter(o)
			}
			all, failed := tryUntil(t, o, check)
			if !slices.Contains(failed, check) {
				t.Fatalf("failed checks %q, want %q; it is %+v", failed, check, all[check])
			}
			r := all[check]
			seen := slices.ContainsFunc(strings.Split(want.seen, "|"),
				func(text string) bool { return strings.Contains(r.Seen, text) })
			if !seen || r.Expected == "" || r.Remedy == "" {
				t.Errorf("%s: seen %q, want %q in it; expected %q and remedy %q, want both", check, r.Seen, want.seen,
					r.Expected, r.Remedy)
			}
		})
	}
}
