package main

import (
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/narthex-platform/narthex/web/bundle"
)

// versions are the oldest browsers in which something has to work, by their names in MDN's browser
// compatibility data.
type versions map[string]float64

// floorOf returns the oldest browsers for which a kind of code is bundled.
func floorOf(engines []api.Engine) versions {
	names := map[api.EngineName]string{api.EngineChrome: "chrome", api.EngineFirefox: "firefox",
		api.EngineSafari: "safari"}
	floor := versions{}
	for _, engine := range engines {
		floor[names[engine.Name]], _ = strconv.ParseFloat(engine.Version, 64)
	}
	return floor
}

// allowed are newer features in the scripts and styles, and why these work in older browsers, too.
var allowed = func() map[string]string {
	names := map[string]string{}
	for reason, list := range map[string]string{
		"web/host/missing.ts adds it": "AbortSignal.any, AbortSignal.timeout, .timeout, .reason, reportError",
		"web/display/olderstyle.ts replaces it": `@layer, @container, container-type:, container-type: size,
			container-type: inline-size, 1cqw, 1cqh, 1cqmin`,
		"only if the browser has it": `CSSScopeRule, CSSContainerRule, CSSLayerBlockRule, .showPopover, .moveBefore,
			.fontBoundingBoxAscent, .fontBoundingBoxDescent, Symbol.dispose, .dispose, .wakeLock, .connection`,
		"the platform's own name or a word": `.Segments, Segments, .read, .take, .use, .escape,
			.navigation, Navigation, .displayName, .role, .share, Highlight`,
		"looks better with it": `.imageSmoothingQuality, hyphens:, text-wrap:, text-wrap: balance, text-wrap: wrap,
			text-size-adjust:, forced-color-adjust:, forced-color-adjust: none, scrollbar-width:,
			scrollbar-width: thin`,
		"only on paper":                  "@page, size:, break-after: avoid",
		"a link has it, not only a form": ".rel, .relList",
		"faster with it":                 "contain-intrinsic-size:, content-visibility:, content-visibility: auto",
	} {
		for name := range strings.SplitSeq(list, ",") {
			names[strings.TrimSpace(name)] = reason
		}
	}
	return names
}()

// TestBrowsersOfTheFloor finds what the oldest promised browsers do not have: in each script that they run,
// and in the style sheets. It takes the browsers' versions from MDN's data, in web/node_modules.
func TestBrowsersOfTheFloor(t *testing.T) {
	inCheckout(t)
	features := readFeatures(t)
	used := map[string]bool{}
	for _, kind := range []struct {
		name    string
		bundled func(*api.BuildOptions)
		scripts []string
		styles  []string
	}{
		{"dashboard", func(*api.BuildOptions) {},
			[]string{"web/dist/dashboard/*.js", "web/dist/dashboard/index.html", "modules/*/ui/*.js",
				"web/dist/link/*.js", "web/dist/link/index.html", "modules/*/link/*.js"},
			[]string{"web/kit/styles/*.css", "web/dashboard/*.css", "web/dashboard/*/*.css",
				"modules/*/ui-src/*.css", "web/link/*.css", "modules/*/link-src/*.css"}},
		{"display", bundle.OnDisplays,
			[]string{"web/dist/display/*.js", "web/dist/display/index.html", "web/dist/sdk/*.js",
				"modules/*/display/*.js", "modules/*/contributions/*.js"},
			[]string{"web/kit/styles/*.css", "web/display/*.css", "modules/*/display-src/*.css",
				"modules/*/contributions-src/*/*.css"}},
	} {
		options, err := bundle.RootedOptions()
		if err != nil {
			t.Fatal(err)
		}
		kind.bundled(&options)
		missing := features.newerThan(floorOf(options.Engines))
		check := func(patterns []string, find func(text string, missing map[string]string) []string) {
			for _, pattern := range patterns {
				paths, err := filepath.Glob(pattern)
				if err != nil || len(paths) == 0 {
					t.Fatalf("%s: %d files, error %v; want some", pattern, len(paths), err)
				}
				for _, path := range paths {
					text, err := os.ReadFile(path)
					if err != nil {
						t.Fatal(err)
					}
					if filepath.Ext(path) == ".css" {
						text = api.Transform(string(text), api.TransformOptions{Loader: api.LoaderCSS,
							Engines: options.Engines}).Code
					}
					for _, name := range find(string(text), missing) {
						used[name] = true
						if allowed[name] == "" {
							t.Errorf("%s uses %s, which a %s cannot: it needs %s", path, name, kind.name, missing[name])
						}
					}
				}
			}
		}
		check(kind.scripts, inScript)
		check(kind.styles, inStyle)
	}
	for name := range allowed {
		if !used[name] {
			t.Errorf("%s is allowed but nothing uses it", name)
		}
	}
}

// feature is a part of MDN's data: features below features, and the browsers' support of each in "__compat".
type feature map[string]any

func readFeatures(t *testing.T) feature {
	t.Helper()
	text, err := os.ReadFile("web/node_modules/@mdn/browser-compat-data/data.json")
	if err != nil {
		t.Fatal("the packages of the front end are needed: npm ci in web")
	}
	var all feature
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// below returns the feature with these names, one below the other; nil if there is none.
func (f feature) below(names ...string) feature {
	for _, name := range names {
		next, _ := f[name].(map[string]any)
		f = next
	}
	return f
}

// parts yields the features directly below this one.
func (f feature) parts() iter.Seq2[string, feature] {
	return func(yield func(string, feature) bool) {
		for name := range f {
			if part := f.below(name); name != "__compat" && part != nil && !yield(name, part) {
				return
			}
		}
	}
}

// needs names the browsers of the floor that are too old for a feature; "" if none is.
func (f feature) needs(floor versions) string {
	support := f.below("__compat", "support")
	var newer []string
	for _, browser := range slices.Sorted(maps.Keys(floor)) {
		statements, several := support[browser].([]any)
		if !several && support[browser] != nil {
			statements = []any{support[browser]}
		}
		first := math.Inf(1)
		for _, statement := range statements {
			statement, _ := statement.(map[string]any)
			added, _ := statement["version_added"].(string)
			version, err := strconv.ParseFloat(strings.TrimPrefix(added, "≤"), 64)
			if err == nil && statement["flags"] == nil && statement["prefix"] == nil {
				first = min(first, version)
			}
		}
		if len(statements) > 0 && first > floor[browser] {
			newer = append(newer, strings.Replace(fmt.Sprint(browser, " ", first), "+Inf", "(never)", 1))
		}
	}
	return strings.Join(newer, ", ")
}

// objects are the interfaces whose members a script calls on objects that it does not name.
const objects = `AbortSignal Animation Blob CSSStyleSheet CanvasRenderingContext2D Clipboard DOMTokenList
	Document DocumentFragment DragEvent Element Event File FormData HTMLButtonElement HTMLDialogElement
	HTMLElement HTMLFormElement HTMLImageElement HTMLInputElement HTMLSelectElement HTMLTextAreaElement Headers
	History KeyboardEvent Location LockManager MediaQueryList Navigator Node PointerEvent Range ReadableStream
	Request Response Selection ServiceWorkerContainer ServiceWorkerRegistration ShadowRoot Storage Text
	TextMetrics URL URLSearchParams Window`

// newerThan returns the features that the floor does not have, as inScript and inStyle name them.
func (f feature) newerThan(floor versions) map[string]string {
	missing := map[string]string{}
	note := func(name string, of feature) string {
		needs := of.needs(floor)
		if needs != "" {
			missing[name] = needs
		}
		return needs
	}
	api, css, builtins := f.below("api"), f.below("css"), f.below("javascript", "builtins")
	members := map[string][]string{} // what each of the objects with a member of this name needs
	for _, globals := range []feature{builtins, api, builtins.below("Intl")} {
		for name, global := range globals.parts() {
			note(name, global)
			isObject := builtins[name] != nil || slices.Contains(strings.Fields(objects), name)
			for member, of := range global.parts() {
				member = strings.TrimSuffix(member, "_static")
				if needs := note(name+"."+member, of); isObject {
					members[member] = append(members[member], needs)
				}
			}
		}
	}
	for member, needs := range members {
		if !slices.Contains(needs, "") {
			missing["."+member] = needs[0]
		}
	}
	note("adoptedStyleSheets.push", api.below("Document", "adoptedStyleSheets", "mutable"))
	for name, rule := range css.below("at-rules").parts() {
		note("@"+name, rule)
	}
	for name, selector := range css.below("selectors").parts() {
		note(":"+name, selector)
	}
	for name, of := range css.below("types").parts() {
		note(name+"(", of)
		for part, of := range of.parts() {
			note(part+"(", of)
		}
	}
	for name, property := range css.below("properties").parts() {
		note(name+":", property)
		for value, of := range property.parts() {
			note(name+": "+value, of)
		}
	}
	length := css.below("types", "length")
	for group, units := range map[string]string{
		"container_query_length_units":      "cqw cqh cqi cqb cqmin cqmax",
		"viewport_percentage_units_dynamic": "dvw dvh dvi dvb dvmin dvmax",
		"viewport_percentage_units_small":   "svw svh svi svb svmin svmax",
		"viewport_percentage_units_large":   "lvw lvh lvi lvb lvmin lvmax",
		"lh":                                "lh", "rlh": "rlh", "cap": "cap", "vi": "vi", "vb": "vb",
	} {
		for unit := range strings.FieldsSeq(units) {
			note("1"+unit, length.below(group))
		}
	}
	return missing
}

var jsNames = regexp.MustCompile(`[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)*`)

// inScript names the missing globals, their members (AbortSignal.any) and members of any object (.toSorted).
func inScript(text string, missing map[string]string) []string {
	found := map[string]bool{}
	for _, chain := range jsNames.FindAllString(text, -1) {
		names := strings.Split(strings.ReplaceAll(chain, "?.", "."), ".")
		for i, name := range names {
			candidates := []string{name}
			if i > 0 {
				candidates = []string{"." + name, names[i-1] + "." + name}
			}
			for _, candidate := range candidates {
				if missing[candidate] != "" {
					found[candidate] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

var (
	comment     = regexp.MustCompile(`(?s)/\*.*?\*/`)
	atRule      = regexp.MustCompile(`^@[\w-]+`)
	pseudo      = regexp.MustCompile(`:[a-z][\w-]*`)
	declaration = regexp.MustCompile(`(?s)^([\w-]+):\s*(.*)$`)
	value       = regexp.MustCompile(`[a-z][\w-]*\(?|\d[a-z]+`)
)

// inStyle names what is missing of at-rules (@scope), selectors (:dir), properties (inset:), and in values of
// keywords (text-wrap: balance), units (1dvh) and functions (color-mix). A newer declaration may follow one
// of the same property that every browser has, unless it contains var(): a browser finds out too late that it
// cannot use that one. What is inside @supports is the newer browsers' own.
func inStyle(text string, missing map[string]string) []string {
	found := map[string]bool{}
	type block struct {
		skip bool
		safe map[string]bool // properties with a declaration that every browser has
	}
	blocks := []block{{safe: map[string]bool{}}}
	text = comment.ReplaceAllString(text, "")
	for len(text) > 0 {
		end := strings.IndexAny(text, "{};")
		if end < 0 {
			break
		}
		part, sign := strings.TrimSpace(text[:end]), text[end]
		text = text[end+1:]
		here := blocks[len(blocks)-1]
		if !here.skip && sign == '{' {
			for _, name := range append(pseudo.FindAllString(part, -1), atRule.FindString(part)) {
				if missing[name] != "" && !strings.HasPrefix(part, "@supports") {
					found[name] = true
				}
			}
		} else if parts := declaration.FindStringSubmatch(part); !here.skip && parts != nil {
			property := parts[1]
			names := []string{property + ":"}
			for _, word := range value.FindAllString(parts[2], -1) {
				names = append(names, property+": "+word, word)
				if word[0] >= '0' && word[0] <= '9' {
					names = append(names, "1"+word[1:])
				}
			}
			names = slices.DeleteFunc(names, func(name string) bool { return missing[name] == "" })
			if len(names) == 0 {
				here.safe[property] = true
			} else if !here.safe[property] || strings.Contains(parts[2], "var(") {
				for _, name := range names {
					found[name] = true
				}
			}
		}
		switch sign {
		case '{':
			blocks = append(blocks, block{here.skip || strings.HasPrefix(part, "@supports"), map[string]bool{}})
		case '}':
			blocks = blocks[:max(1, len(blocks)-1)]
		}
	}
	return slices.Sorted(maps.Keys(found))
}
