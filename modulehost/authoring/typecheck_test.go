package authoring_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/authoring"
)

// TestTypeCheck: where TypeScript is installed, a wrong type fails the build, with its place.
func TestTypeCheck(t *testing.T) {
	t.Parallel()
	compiler, err := filepath.Abs("../../web/node_modules")
	if err != nil {
		t.Fatal(err)
	}
	types, err := filepath.Abs("../../web/server/narthex-server.d.ts")
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "rota")
	write := func(name, content string) { writeFile(t, filepath.Join(folder, name), content) }
	write("module.json", strings.Replace(manifest, `"bin/{os}-{arch}/rota"`,
		`{"script": "server/index.js", "abi": 1}`, 1))
	write("ui-src/index.ts", "export default 1;")
	write("server-src/tsconfig.json", `{"compilerOptions": {"target": "es2022", "module": "esnext",
		"moduleResolution": "bundler", "lib": ["es2023"], "types": [], "strict": true,
		"paths": {"@narthex/server": ["`+types+`"]}}}`)
	const server = "import { defineModule } from \"@narthex/server\";\n" +
		"const count: number = %;\nexport default defineModule(() => count);\n"
	build := func(value string) (said string, err error) {
		write("server-src/index.ts", strings.Replace(server, "%", value, 1))
		var report strings.Builder
		_, err = authoring.Build(t.Context(), folder, &report)
		return report.String(), err
	}
	if said, err := build(`"one"`); err != nil {
		t.Errorf("without TypeScript: error %v, said %q, want a build", err, said)
	}
	if err := os.Symlink(compiler, filepath.Join(folder, "node_modules")); err != nil {
		t.Fatal(err)
	}
	if said, err := build(`"one"`); !errors.Is(err, authoring.ErrBuild) ||
		!strings.Contains(said, "server-src/index.ts(2,7): error TS2322") {
		t.Errorf("a text for a number: error %v, said %q, want its place", err, said)
	}
	if said, err := build("1"); err != nil || said != "" {
		t.Errorf("with the right type: error %v, said %q, want a build", err, said)
	}
}
