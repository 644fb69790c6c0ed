package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// fakeGo stands in for go: it writes down its arguments, and fails as often as there are letters in the file
// of the test that it should run.
const fakeGo = `#!/bin/sh
echo "$*" >>"$FAKE/calls"
case "$*" in
*-short*"-run ^TestQuarantineAlone\$"*) failures=$FAKE/alone ;;
*-short*) failures=$FAKE/others ;;
*) exit 0 ;;
esac
left=$(cat "$failures" 2>/dev/null)
printf %s "${left#x}" >"$failures"
[ -z "$left" ]
`

// TestQuarantineAlone exists only to be quarantined by TestQuarantine.
func TestQuarantineAlone(*testing.T) {}

// TestQuarantine runs .ci/test with lists of quarantined tests. Only what is in the list is repeated, once.
func TestQuarantine(t *testing.T) {
	t.Parallel()
	day := func(days int) string { return time.Now().UTC().AddDate(0, 0, days).Format(time.DateOnly) }
	entry := func(days int) string { return "TestQuarantineAlone " + day(days) + " it waited too long\n" }
	for _, test := range []struct {
		name, list    string
		others, alone int // how often these fail
		said          string
		passes        bool
		repeated      int // how often the quarantined test ran
	}{
		{name: "nothing is listed", list: "# a comment\n", passes: true},
		{name: "what is not listed is not repeated", others: 1},
		{name: "the last day", list: entry(0), passes: true, repeated: 1},
		{name: "the furthest day", list: entry(13), passes: true, repeated: 1},
		{name: "fails once", list: entry(7), alone: 1, passes: true, repeated: 2},
		{name: "fails twice", list: entry(7), alone: 2, repeated: 2},
		{name: "others fail", list: entry(7), others: 1, repeated: 1},
		{name: "expired", list: entry(-2), said: "the time to repair it ended on " + day(-2)},
		{name: "too far ahead", list: entry(16), said: "at most 14 days ahead"},
		{name: "no day", list: "TestQuarantineAlone it waited too long\n", said: "want a last day"},
		{name: "no reason", list: "TestQuarantineAlone " + day(3) + "\n", said: "and what was seen"},
		{name: "no such test", list: "TestThatIsNowhere " + day(3) + " seen\n", said: "0 tests have this name"},
		{name: "an ambiguous name", list: "TestMain " + day(3) + " seen\n", said: "tests have this name, want one"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			for name, content := range map[string]string{
				"go": fakeGo, "list": test.list,
				"others": strings.Repeat("x", test.others), "alone": strings.Repeat("x", test.alone),
			} {
				if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			command := exec.CommandContext(t.Context(), "../../.ci/test", "short")
			command.Env = append(os.Environ(), "FAKE="+folder, "GO="+filepath.Join(folder, "go"),
				"QUARANTINE="+filepath.Join(folder, "list"))
			output, err := command.CombinedOutput()
			if (err == nil) != test.passes || !strings.Contains(string(output), test.said) {
				t.Errorf("error %v, output %q; want success %t and %q", err, output, test.passes, test.said)
			}
			calls, err := os.ReadFile(filepath.Join(folder, "calls"))
			if test.said != "" {
				if err == nil {
					t.Errorf("go was called:\n%s", calls)
				}
				return
			}
			left := 0
			for call := range strings.Lines(string(calls)) {
				tests, alone := strings.Contains(call, "-short"), strings.Contains(call, "-run ^TestQuarantineAlone$")
				if tests && !alone && strings.Contains(call, "-skip ^(TestQuarantineAlone)$") != (test.repeated > 0) {
					t.Errorf("it is left out where it is not quarantined, or is not where it is: go %s", call)
				}
				if alone {
					left++
				}
			}
			if left != test.repeated {
				t.Errorf("the quarantined test ran %d times, want %d:\n%s", left, test.repeated, calls)
			}
		})
	}
}
