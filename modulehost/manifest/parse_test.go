package manifest_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/manifest"
)

// readExample returns the manifest of a case of testdata.
func readExample(t testing.TB, name string) string {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name + ".case")
	if err != nil {
		t.Fatal(err)
	}
	input, _, _ := strings.Cut(string(raw), separator)
	return input
}

func TestParseReadsEveryField(t *testing.T) {
	t.Parallel()
	m, findings := manifest.Parse([]byte(readExample(t, "valid-announcements")))
	if findings != nil {
		t.Fatalf("manifest.Parse: findings %v, want none", findings)
	}
	minimum, maximum := int64(4), int64(120)
	check := func(name string, got, want any) {
		t.Helper()
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %#v, want %#v", name, got, want)
		}
	}
	check("id", m.ID, "announcements")
	check("name", m.Name, "Announcements")
	check("version", m.Version.String(), "1.0.0")
	check("platform", m.Compatibility.Platform.String(), "^0.1.0")
	check("moduleSdk", m.Compatibility.ModuleSDK.String(), "^0.1.0")
	check("provides", m.Provides[0].ID+" "+m.Provides[0].Version.String(), "announcements.slides 1.0.0")
	check("permissions", m.Permissions, []manifest.Permission{
		{ID: "announcements.slides.read", Baseline: manifest.BaselineAuthenticated},
		{ID: "announcements.slides.manage", Baseline: manifest.BaselineRestricted,
			Description: "Write the notices"},
		{ID: "announcements.display.view", Baseline: manifest.BaselineRestricted},
	})
	check("server", m.Server, "bin/"+runtime.GOOS+"-"+runtime.GOARCH+"/announcements")
	check("ui", m.UI, "ui/index.js")
	check("display", m.Display, &manifest.Page{Artifact: "display/index.js",
		Permission: "announcements.display.view"})
	check("database", m.Database, &manifest.Database{ABI: 1, Migrations: "migrations"})
	check("buckets", m.Buckets, []string{"images"})
	check("configuration", m.Configuration, []manifest.Declaration{
		{Key: "slideSeconds", Type: manifest.TypeInteger, Default: int64(12), Minimum: &minimum,
			Maximum: &maximum}})

	m, findings = manifest.Parse([]byte(readExample(t, "valid-countdown")))
	if findings != nil {
		t.Fatalf("manifest.Parse: findings %v, want none", findings)
	}
	d, c := m.Dependencies.Required[0], m.Contributions[0]
	check("dependency", []string{string(d.Kind), d.ID, d.Range.String()},
		[]string{"module", "announcements", "^1.0.0"})
	check("contribution", []string{c.ID, c.Version.String(), c.Capability, c.Range.String(), c.Artifact},
		[]string{"countdown.slide", "1.0.0", "announcements.slides", "^1.0.0", "contributions/slide.js"})
}

func TestParseRefusesWhatIsNoManifest(t *testing.T) {
	t.Parallel()
	valid := readExample(t, "valid-countdown")
	for name, c := range map[string]struct{ input, message string }{
		"empty":         {"", "not complete"},
		"blank":         {" \n", "not complete"},
		"invalid UTF-8": {strings.Replace(valid, "Countdown", "Count\xffdown", 1), "UTF-8"},
		"too large":     {valid + strings.Repeat(" ", manifest.MaxBytes-len(valid)+1), "256 KiB"},
		"too deep":      {strings.Repeat("[", 20_000), "not well-formed JSON at line 1"},
		"second value":  {valid + "null", "nothing after it"},
		"stray bytes":   {valid + "}", "nothing after it"},
	} {
		_, findings := manifest.Parse([]byte(c.input))
		if len(findings) != 1 || findings[0].Code != manifest.ErrInvalid ||
			!strings.Contains(findings[0].Message, c.message) {
			t.Errorf("%v: manifest.Parse: number of findings %v, want %v; want findings[0].Code to be %v; want "+
				"findings[0].Message to be %v",
				name, len(findings), 1, manifest.ErrInvalid, c.message)
		}
	}
	exact := valid + strings.Repeat(" ", manifest.MaxBytes-len(valid))
	if _, findings := manifest.Parse([]byte(exact)); findings != nil {
		t.Errorf("256 KiB exactly: %v", findings)
	}
}

func TestParseListsAtMostSoManyFindings(t *testing.T) {
	t.Parallel()
	var many strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&many, `"k%d":1,`, i)
	}
	_, findings := manifest.Parse([]byte("{" + many.String() + `"manifestVersion":7}`))
	if len(findings) != manifest.MaxFindings+1 || !strings.Contains(findings[manifest.MaxFindings].Message,
		"not listed") {
		t.Errorf("%d findings, the last %v, want %d and the last one saying so", len(findings),
			findings[len(findings)-1], manifest.MaxFindings+1)
	}
}

// TestNullIsRefusedEverywhere replaces every value of the valid cases in turn: by null, which must be
// reported, and by a marked text, which no finding may quote.
func TestNullIsRefusedEverywhere(t *testing.T) {
	t.Parallel()
	const marker = "Zq\tMARKED"
	for _, name := range []string{"valid-announcements", "valid-countdown", "valid-configuration"} {
		var document any
		if err := json.Unmarshal([]byte(readExample(t, name)), &document); err != nil {
			t.Fatal(err)
		}
		places := 0
		everyPlace(document, func(v any) { document = v }, func(put func(any)) {
			places++
			put(nil)
			raw, _ := json.Marshal(document)
			if _, findings := manifest.Parse(raw); len(findings) == 0 {
				t.Errorf("%s: null accepted in %s", name, raw)
			}
			put(marker)
			raw, _ = json.Marshal(document)
			_, findings := manifest.Parse(raw)
			for _, f := range findings {
				if strings.Contains(f.Error(), "Zq") {
					t.Errorf("%s: a finding quotes the file: %v", name, f)
				}
			}
		})
		if places < 15 {
			t.Errorf("%s: only %d places tried", name, places)
		}
	}
}

// everyPlace calls try with a function that replaces one value of the document, for each value in turn. The
// value is put back afterwards.
func everyPlace(v any, put func(any), try func(put func(any))) {
	try(put)
	put(v)
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) { // so places keep their numbers
			everyPlace(v[key], func(n any) { v[key] = n }, try)
		}
	case []any:
		for i, element := range v {
			everyPlace(element, func(n any) { v[i] = n }, try)
		}
	}
}

func TestFindingNamesModuleAndCode(t *testing.T) {
	t.Parallel()
	_, findings := manifest.Parse([]byte(readExample(t, "provides")))
	got := findings[0].Error()
	want := "CAPABILITY_DUPLICATE: module notes at /provides/1/capability: provides[].capability must not be " +
		"provided twice."
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if !errors.Is(findings[0], manifest.ErrCapabilityDuplicate) ||
		manifest.ErrCapabilityDuplicate.Code() != "CAPABILITY_DUPLICATE" {
		t.Error("the finding does not lead to its code")
	}
}

// TestByteOrderMark: a file that an editor has begun with a byte order mark is read as without.
func TestByteOrderMark(t *testing.T) {
	t.Parallel()
	const text = `{ "manifestVersion": 7, "id": "notes", "name": "Notes", "version": "1.0.0",
		"compatibility": { "platform": "^0.1.0", "moduleSdk": "^0.1.0" } }`
	for _, mark := range []string{"", "\uFEFF"} {
		if m, findings := manifest.Parse([]byte(mark + text)); m == nil || m.ID != "notes" {
			t.Errorf("with %q in front: findings %v", mark, findings)
		}
	}
}
