package scaffold

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// required is the content of a go.mod that a module needs.
type required struct {
	language string // the line of Go's version
	versions map[string]string
}

// requirements reads the require blocks of a go.mod as go mod tidy writes it.
func requirements(goMod []byte) required {
	found := required{versions: map[string]string{}}
	within := false
	for line := range strings.Lines(string(goMod)) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), " //")
		switch {
		case strings.HasPrefix(line, "go "):
			found.language = line
		case line == "require (":
			within = true
		case line == ")":
			within = false
		case within && line != "":
			name, version, _ := strings.Cut(line, " ")
			found.versions[name] = version
		}
	}
	return found
}

// goModFile is the go.mod of a standalone module.
type goModFile struct {
	id, language string
	indirect     map[string]string // every library that its build or its tests need, and the version
	host, sdk    string            // the folders of the two Go modules of the platform
}

func (f goModFile) text() []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "module example.org/%s\n\n%s\n\nrequire (\n", f.id, f.language)
	fmt.Fprintf(&out, "\t%s v0.0.0 // the test kit: for tests alone\n", platform)
	fmt.Fprintf(&out, "\t%s v0.0.0\n)\n\nrequire (\n", sdk)
	for _, name := range slices.Sorted(maps.Keys(f.indirect)) {
		fmt.Fprintf(&out, "\t%s %s // indirect\n", name, f.indirect[name])
	}
	fmt.Fprintf(&out, ")\n\nreplace %s => %q\n\nreplace %s => %q\n", platform, f.host, sdk, f.sdk)
	return out.Bytes()
}
