package catalog_test

import (
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/catalog/catalogtest"
	"github.com/narthex-platform/narthex/modulehost/manifest"
)

func TestFindings(t *testing.T) {
	t.Parallel()
	ui := func(path string) fields { return fields{"entrypoints": fields{"ui": path}} }
	server := fields{"entrypoints": fields{"server": "server"}}
	for name, c := range map[string]struct {
		prepare func(t *testing.T, dir string)
		want    []string // the beginnings of all lines, in order
	}{
		"no manifest": {func(t *testing.T, dir string) { must(t, os.Mkdir(filepath.Join(dir, "people"), 0o755)) },
			[]string{"MANIFEST_MISSING: module people: "}},
		"manifest is a folder": {func(t *testing.T, dir string) {
			must(t,
				os.MkdirAll(filepath.Join(dir, "people/module.json"), 0o755))
		},
			[]string{"MANIFEST_INVALID: module people: module.json must be a regular file."}},
		"manifest is a FIFO": {func(t *testing.T, dir string) {
			must(t, os.Mkdir(filepath.Join(dir, "people"), 0o755))
			must(t, syscall.Mkfifo(filepath.Join(dir, "people/module.json"), 0o644))
		}, []string{"MANIFEST_INVALID: module people: module.json must be a regular file."}},
		"manifest is huge": {func(t *testing.T, dir string) {
			must(t, os.Truncate(filepath.Join(install(t, dir, "people", nil), "module.json"), 10<<30))
		}, []string{"MANIFEST_INVALID: module people: module.json must not be larger than 256 KiB."}},
		"manifest findings": {func(t *testing.T, dir string) {
			install(t, dir, "people",
				fields{"name": 1, "extra": 1})
		},
			[]string{"MANIFEST_INVALID: module people at /extra: ", "MANIFEST_INVALID: module people at /name: "}},
		"other manifest version": {func(t *testing.T,
			dir string) {
			install(t, dir, "people", fields{"manifestVersion": 8})
		},
			[]string{"MANIFEST_VERSION_UNSUPPORTED: module people at /manifestVersion: "}},
		"other id": {func(t *testing.T, dir string) { install(t, dir, "people-old", fields{"id": "people"}) },
			[]string{"MODULE_ID_MISMATCH: module people-old at /id: "}},
		"other id and more": {func(t *testing.T, dir string) {
			install(t, dir, "people-old",
				fields{"id": "people", "name": 1})
		},
			[]string{"MANIFEST_INVALID: module people-old at /name: ",
				"MODULE_ID_MISMATCH: module people-old at /id: "}},
		"control characters in the folder name": {func(t *testing.T, dir string) {
			install(t, dir, "a\nDONE: \x1b[2J", fields{"id": "people", "name": "People"})
		}, []string{`MODULE_ID_MISMATCH: module a\nDONE: \x1b[2J at /id: `}},
		"a folder name that is no id": {func(t *testing.T, dir string) {
			install(t, dir, `Büro "alt" + neu`, fields{"id": "people"})
		}, []string{`MODULE_ID_MISMATCH: module Büro "alt" + neu at /id: `}},
		"reserved and duplicate permission": {func(t *testing.T, dir string) {
			entry := fields{"id": "people.see", "baseline": "restricted"}
			install(t, dir, "people", fields{"permissions": []fields{entry,
				{"id": "core.see", "baseline": "restricted"}, entry}})
		}, []string{"PERMISSION_NAMESPACE_RESERVED: module people at /permissions/1/id: ",
			"PERMISSION_DUPLICATE: module people at /permissions/2/id: "}},
		"duplicate capability": {func(t *testing.T, dir string) {
			entry := fields{"capability": "people.list", "version": "1.0.0"}
			install(t, dir, "people", fields{"provides": []fields{entry, entry}})
		}, []string{"CAPABILITY_DUPLICATE: module people at /provides/1/capability: "}},
		"other release": {func(t *testing.T, dir string) {
			install(t, dir, "people", fields{"compatibility": fields{"platform": "^0.2.0", "moduleSdk": ">0.1.2"}})
		}, []string{"PLATFORM_INCOMPATIBLE: module people at /compatibility/platform: ",
			"MODULE_SDK_INCOMPATIBLE: module people at /compatibility/moduleSdk: "}},
		"artifact missing": {func(t *testing.T, dir string) { install(t, dir, "people", ui("ui.js")) },
			[]string{"ARTIFACT_INVALID: module people at /entrypoints/ui: entrypoints.ui names a file"}},
		"artifact is a FIFO": {func(t *testing.T, dir string) {
			must(t, syscall.Mkfifo(filepath.Join(install(t, dir, "people", ui("ui.js")), "ui.js"), 0o644))
		}, []string{"ARTIFACT_INVALID: module people at /entrypoints/ui: entrypoints.ui must be a regular file."}},
		"artifact is a folder": {func(t *testing.T, dir string) {
			must(t, os.Mkdir(filepath.Join(install(t, dir, "people", ui("ui.js")), "ui.js"), 0o755))
		}, []string{"ARTIFACT_INVALID: module people at /entrypoints/ui: entrypoints.ui must be a regular file."}},
		"artifact links out": {func(t *testing.T, dir string) {
			linkOut(t, install(t, dir, "people", ui("ui.js")),
				os.Symlink)
		}, []string{"ARTIFACT_INVALID: module people at /entrypoints/ui: entrypoints.ui must stay inside the " +
			"package"}},
		"artifact hard-linked": {func(t *testing.T, dir string) {
			linkOut(t, install(t, dir, "people", ui("ui.js")),
				os.Link)
		}, []string{"ARTIFACT_INVALID: module people at /entrypoints/ui: entrypoints.ui must not be a hard link."}},
		"artifact is enormous": {func(t *testing.T, dir string) {
			sparse(t, install(t, dir, "people", ui("ui.js")),
				"ui.js")
		}, []string{"ARTIFACT_INVALID: module people at /entrypoints/ui: entrypoints.ui must not be larger than " +
			"4 MiB."}},
		"artifact is not UTF-8": {func(t *testing.T, dir string) {
			write(t, filepath.Join(install(t, dir, "people", ui("ui.js")), "ui.js"), "\xff")
		}, []string{"ARTIFACT_INVALID: module people at /entrypoints/ui: entrypoints.ui must be UTF-8 text."}},
		"contribution and display missing": {func(t *testing.T, dir string) {
			install(t, dir, "people", fields{"contributions": []fields{contribution("people.a", "a.js")},
				"permissions": []fields{{"id": "people.see", "baseline": "restricted"}},
				"entrypoints": fields{"display": fields{"artifact": "d.js", "permission": "people.see"}}})
		}, []string{"ARTIFACT_INVALID: module people at /entrypoints/display/artifact: ",
			"ARTIFACT_INVALID: module people at /contributions/0/artifact: "}},
		"dynamic executable": {func(t *testing.T, dir string) {
			write(t, filepath.Join(install(t, dir, "people", server), "server"),
				catalogtest.Executable(t, elf.PT_INTERP))
		}, []string{"ARTIFACT_INVALID: module people at /entrypoints/server: entrypoints.server must be " +
			"statically linked; build with CGO_ENABLED=0."}},
		"script as executable": {func(t *testing.T, dir string) {
			write(t, filepath.Join(install(t, dir, "people", server), "server"), "#!/bin/sh\n")
		}, []string{"ARTIFACT_INVALID: module people at /entrypoints/server: entrypoints.server must be an ELF " +
			"executable"}},
		"executable is enormous": {func(t *testing.T, dir string) {
			sparse(t, install(t, dir, "people", server),
				"server")
		},
			[]string{"ARTIFACT_INVALID: module people at /entrypoints/server: entrypoints.server must not be " +
				"larger than 256 MiB."}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			c.prepare(t, dir)
			assertFindings(t, dir, c.want...)
		})
	}
}

func TestMigrationFindings(t *testing.T) {
	t.Parallel()
	const at = "ARTIFACT_INVALID: module people at /database/migrations: database.migrations "
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"none": {map[string]string{".keep": ""}, at + "must hold at least one migration."},
		"from zero": {map[string]string{"0000_a.sql": ""}, at +
			"must be numbered from 0001 without gap or repetition, and have one file 0000."},
		"from two": {map[string]string{"0002_a.sql": ""}, at +
			"must be numbered from 0001 without gap or repetition, and have one file 0001."},
		"gap": {map[string]string{"0001_a.sql": "", "0003_a.sql": ""}, at +
			"must be numbered from 0001 without gap or repetition, and have one file 0002."},
		"repetition": {map[string]string{"0001_a.sql": "", "0001_b.sql": ""}, at +
			"must be numbered from 0001 without gap or repetition, and have one file 0001."},
		"other file": {map[string]string{"0001_a.sql": "", "README.md": ""}, at +
			"must hold only files named NNNN_name.sql"},
		"short":     {map[string]string{"001_a.sql": ""}, at + "must hold only files named NNNN_name.sql"},
		"capitals":  {map[string]string{"0001_A.sql": ""}, at + "must hold only files named NNNN_name.sql"},
		"no name":   {map[string]string{"0001.sql": ""}, at + "must hold only files named NNNN_name.sql"},
		"folder":    {map[string]string{"0001_a.sql/x": ""}, at + "file 0001 must be a regular file."},
		"not UTF-8": {map[string]string{"0001_a.sql": "\xff"}, at + "file 0001 must be UTF-8 text without NUL."},
		"NUL":       {map[string]string{"0001_a.sql": "\x00"}, at + "file 0001 must be UTF-8 text without NUL."},
		"large": {map[string]string{"0001_a.sql": strings.Repeat(" ", catalog.MaxSQLBytes+1)}, at +
			"file 0001 must not be larger than 1 MiB."},
		"no folder": {nil, at + "names a file that the package does not have."},
		"large in all": {func() map[string]string {
			files := make(map[string]string)
			for i := range 33 {
				files[fmt.Sprintf("%04d_a.sql", i+1)] = strings.Repeat(" ", catalog.MaxSQLBytes)
			}
			return files
		}(), at + "must not be larger than 32 MiB together."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			folder := install(t, dir, "people", fields{"entrypoints": fields{"server": "server"},
				"database": fields{"abi": 1, "migrations": "sql"}})
			write(t, filepath.Join(folder, "server"), catalogtest.Executable(t))
			for name, text := range c.files {
				write(t, filepath.Join(folder, "sql", name), text)
			}
			assertFindings(t, dir, c.want)
		})
	}
}

// TestAllFindingsTogether checks the findings of three broken modules: grouped by module, always the same
// text, without a path.
func TestAllFindingsTogether(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	install(t, dir, "c", fields{"dependencies": needs([]string{"module gone ^1.0.0", "module b ^1.0.0"})})
	install(t, dir, "a", fields{"entrypoints": fields{"ui": "ui.js"},
		"dependencies":  needs([]string{"module c ^2.0.0"}),
		"compatibility": fields{"platform": "^9.0.0", "moduleSdk": "^0.1.0"}})
	install(t, dir, "b", fields{"name": ""})
	err := assertFindings(t, dir,
		"PLATFORM_INCOMPATIBLE: module a at /compatibility/platform: ",
		"ARTIFACT_INVALID: module a at /entrypoints/ui: ",
		"DEPENDENCY_INCOMPATIBLE: module a at /dependencies/required/0: ",
		"MANIFEST_INVALID: module b at /name: ",
		"DEPENDENCY_MISSING: module c at /dependencies/required/0: ",
	)
	for _, code := range []error{catalog.ErrPlatformIncompatible, manifest.ErrArtifactInvalid,
		catalog.ErrDependencyMissing, manifest.ErrInvalid} {
		if !errors.Is(err, code) {
			t.Errorf("errors.Is does not find %v in %v", code, err)
		}
	}
	if errors.Is(err, catalog.ErrDependencyCycle) {
		t.Error("errors.Is finds a code that no finding has")
	}
	var findings catalog.Findings
	if !errors.As(err, &findings) || len(findings) != 5 || findings.Code() != "PLATFORM_INCOMPATIBLE" {
		t.Errorf("error %v, want five findings and the code PLATFORM_INCOMPATIBLE", err)
	}
}

// assertFindings discovers three times and wants the same lines each time, beginning with those of want.
func assertFindings(t *testing.T, dir string, want ...string) error {
	t.Helper()
	found, err := catalog.Discover(dir, true, platform)
	if err == nil || found != nil {
		t.Fatalf("Discover: %v, %v, want no catalog and findings", found, err)
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != len(want) {
		t.Fatalf("%d findings, want %d:\n%v", len(lines), len(want), err)
	}
	for i, line := range lines {
		if !strings.HasPrefix(line, want[i]) {
			t.Errorf("got  %s\nwant %s", line, want[i])
		}
	}
	if strings.Contains(err.Error(), dir) || strings.Contains(err.Error(), "\x1b") {
		t.Errorf("path or control characters shown: %q", err)
	}
	for range 2 {
		if _, again := catalog.Discover(dir, true, platform); again == nil || again.Error() != err.Error() {
			t.Errorf("a repeated discovery found %v, the first %v", again, err)
		}
	}
	return err
}

func linkOut(t *testing.T, folder string, link func(old, new string) error) {
	t.Helper()
	secret := filepath.Join(t.TempDir(), "secret.js")
	write(t, secret, "secret")
	must(t, link(secret, filepath.Join(folder, "ui.js")))
}

func sparse(t *testing.T, folder, name string) {
	t.Helper()
	write(t, filepath.Join(folder, name), "")
	must(t, os.Truncate(filepath.Join(folder, name), 10<<30))
}
