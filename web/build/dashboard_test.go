package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/narthex-platform/narthex/web/bundle"
)

// TestAdministrationWaitsForNothing: the build refuses a screen of the administration that imports a value of
// a file that imports the list of the shared parts, because both would wait for each other, and the page
// would stay blank.
func TestAdministrationWaitsForNothing(t *testing.T) {
	inCheckout(t)
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for source, refused := range map[string]bool{
		`import { entriesOf } from "%s/app/app"; console.log(entriesOf);`:                       false,
		`import { screens } from "%s/screens/table"; console.log(screens);`:                     true,
		`import type { App } from "%s/app/app"; export const none: App | null = null;`:          false,
		`import { moment } from "%s/words/words"; console.log(moment("2026-01-01"));`:           false,
		`import { Heading } from "%s/shell/heading"; export const heading = Heading;`:           false,
		`import { administration } from "%s/app/laterscript"; export const a = administration;`: true,
	} {
		dir := t.TempDir()
		dashboard, err := filepath.Rel(dir, filepath.Join(root, "web/dashboard"))
		if err != nil {
			t.Fatal(err)
		}
		entry := filepath.Join(dir, "screen.ts")
		text := strings.Replace(source, "%s", dashboard, 1)
		if err := os.WriteFile(entry, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		inFirst, err := importsOf(dashboardEntry)
		if err != nil {
			t.Fatal(err)
		}
		parts := &sharedParts{inFirst: inFirst, taken: map[string][]string{}}
		_, err = bundle.Build(entry, api.FormatESModule, bundle.Minified, bundle.OnKit(nil), parts.take)
		if told := err != nil && strings.Contains(err.Error(), partsFile); told != refused {
			t.Errorf("a screen with %s: error %v, want one that names %s: %t", text, err, partsFile, refused)
		}
	}
}

// TestWeights: the build fails with a script that is a byte over its limit, and names it.
func TestWeights(t *testing.T) {
	for name, allowed := range maxBytes {
		path := filepath.Join("web/dist/dashboard", name)
		if err := checkWeights([]output{{path, make([]byte, allowed)}}); err != nil {
			t.Errorf("%s of %d bytes: %v, want no error", name, allowed, err)
		}
		err := checkWeights([]output{{path, make([]byte, allowed+1)}, {"web/dist/other.js", nil}})
		if err == nil || !strings.HasPrefix(err.Error(), path) {
			t.Errorf("%s of %d bytes: %v, want an error that names it", name, allowed+1, err)
		}
	}
}
