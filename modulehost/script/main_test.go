package script_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/script"
	"github.com/narthex-platform/narthex/modulehost/sdktest"
)

func TestMain(m *testing.M) { sdktest.Main(m) }

const sampleManifest = `{
  "manifestVersion": 7, "id": "sample", "name": "Sample", "version": "1.0.0",
  "compatibility": {"platform": "^0.1.0", "moduleSdk": "^0.1.0"},
  "people": {"names": true},
  "dependencies": {"required": [],
    "optional": [{"kind": "capability", "id": "stage.services", "range": "^1.0.0"}]},
  "provides": [{"capability": "sample.notes", "version": "1.0.0"}],
  "permissions": [{"id": "sample.use", "baseline": "authenticated"},
    {"id": "sample.manage", "baseline": "restricted", "description": "Manage"}],
  "entrypoints": {"server": {"script": "server/index.js", "abi": 1}},
  "database": {"abi": 1, "migrations": "migrations"},
  "storage": {"buckets": ["images"]},
  "configuration": [{"key": "most", "type": "integer", "default": 12}, {"key": "title", "type": "string"},
    {"key": "apiToken", "type": "secret"}]
}`

const sampleMigration = `CREATE TABLE notes (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(), text text NOT NULL UNIQUE, author uuid
);
CREATE TABLE board (rev bigint NOT NULL);
INSERT INTO board VALUES (0);
CREATE TABLE books (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(), title text NOT NULL CONSTRAINT books_title UNIQUE,
  pages bigint, bought timestamptz, tags jsonb NOT NULL, steps jsonb NOT NULL, rev bigint NOT NULL DEFAULT 1
);
CREATE TABLE books_rev (rev bigint NOT NULL);
INSERT INTO books_rev VALUES (1);
CREATE TABLE shelves (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(), name text NOT NULL, books bigint NOT NULL DEFAULT 0,
  rev bigint NOT NULL DEFAULT 1
);`

// sample is the beginning and the end of a script whose module is the text between them.
func sample(body string) []byte {
	return []byte("const { defineModule, db, refuse, invalid, created, shape, realtime, storage, mail, " +
		"config, secret, house, can, people, links, capability, log, Response } = narthex;\n" +
		"var sample = defineModule((m) => {\n" + body + "\n});\nexport { sample as default };\n")
}

// start runs a script as a module until the test ends.
func start(t *testing.T, source []byte, options sdktest.Options) *sdktest.Module {
	t.Helper()
	return startModule(t, script.New("server/index.js", source), options)
}

func startModule(t *testing.T, module *script.Module, options sdktest.Options) *sdktest.Module {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "sample")
	for path, text := range map[string]string{"module.json": sampleManifest,
		"migrations/0001_notes.sql": sampleMigration} {
		path = filepath.Join(folder, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	options.Folder = folder
	return sdktest.Start(t, module, options)
}
