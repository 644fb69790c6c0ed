package main

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/storage/storagetest"
)

// guided is the module that docs/modules.md makes.
const guided = "prayer-list"

// block is one fenced block of a page: ```language name.
type block struct{ language, name, text string }

func blocksOf(t *testing.T, page string) (blocks []block) {
	t.Helper()
	content, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range regexp.MustCompile("(?ms)^```(\\w+) ?(\\S*)\n(.*?)^```$").FindAllStringSubmatch(string(content), -1) {
		blocks = append(blocks, block{found[1], found[2], found[3]})
	}
	return blocks
}

// TestGuide does what docs/modules.md says, from top to bottom: its commands run, and its code replaces or joins the new module's.
func TestGuide(t *testing.T) {
	t.Parallel()
	checkout := borrowedCheckout(t)
	ownProgram(t, checkout)
	i := prepare(t, databasetest.Empty(t))
	server := storagetest.New(t)
	i.keeping("http://" + server.Address)
	environment := os.Environ()
	for name, value := range i.environment {
		environment = append(environment, name+"="+value)
	}
	folder := filepath.Join(checkout, "modules", guided)
	for _, b := range blocksOf(t, "../../docs/modules.md") {
		switch b.language {
		case "sh":
			runs(t, checkout, environment, strings.ReplaceAll(b.text, "/var/lib/narthex/modules", i.environment["SERVICE_MODULES_DIR"]))
		case "go":
			joins(t, folder, b.text)
		default:
			if err := os.WriteFile(filepath.Join(folder, b.name), []byte(b.text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	does(t, checkout, "go", "vet", "./modules/"+guided)
	i.owned(t)
	i.start(t)
	lives(t, i.signIn(t, ownerAddress, ownerPassword))
}

// ownProgram gives the checkout a bin/narthex that is this very test binary.
func ownProgram(t *testing.T, checkout string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(checkout, "bin")
	if err := os.RemoveAll(bin); err != nil { // a link to the real one, or nothing
		t.Fatal(err)
	}
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf("#!/bin/sh\n%s=1 exec %q \"$@\"\n", playsNarthex, self)
	if err := os.WriteFile(filepath.Join(bin, "narthex"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
}

// runs is a shell that ends with the first command that fails. What is built and served is this test's own business.
func runs(t *testing.T, dir string, environment []string, commands string) {
	t.Helper()
	commands = regexp.MustCompile(`(?m)^make (build|dev)$`).ReplaceAllString(commands, "")
	shell := exec.CommandContext(t.Context(), "sh", "-euxc", commands)
	shell.Dir, shell.Env = dir, environment
	if output, err := shell.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
}

// imports are those that the guide leaves out.
var imports = map[string]string{
	"bytes": "bytes", "context": "context", "errors": "errors", "http": "net/http", "mail": "net/mail", "sdk": project + "modulehost/sdk",
	"sdktest": project + "modulehost/sdk/sdktest", "sql": "database/sql", "strings": "strings", "testing": "testing", "time": "time",
}

// joins adds code to the module; a function of a name that is there takes its place.
func joins(t *testing.T, folder, code string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "guide.go", "package main\n"+code, 0)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, declared := range file.Decls {
		names = append(names, functionName(declared))
	}
	sources, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range sources {
		without(t, source, names)
	}
	text := "package main\n\nimport (\n"
	for name, path := range imports {
		if slices.ContainsFunc(file.Unresolved, func(used *ast.Ident) bool { return used.Name == name }) {
			text += fmt.Sprintf("%q\n", path)
		}
	}
	formatted, err := format.Source([]byte(text + ")\n\n" + code))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(string(formatted), code) {
		t.Errorf("not formatted:\n%s", code)
	}
	suffix := ".go"
	if strings.Contains(code, "*testing.T") {
		suffix = "_test.go"
	}
	if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("guide%d%s", len(sources), suffix)), formatted, 0o644); err != nil {
		t.Fatal(err)
	}
}

// without takes functions out of a file.
func without(t *testing.T, source string, names []string) {
	t.Helper()
	content, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, source, content, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	for _, declared := range slices.Backward(file.Decls) {
		if name := functionName(declared); name != "" && slices.Contains(names, name) {
			content = slices.Delete(content, files.Position(declared.Pos()).Offset, files.Position(declared.End()).Offset)
		}
	}
	if err := os.WriteFile(source, content, 0o644); err != nil {
		t.Fatal(err)
	}
}

func functionName(declared ast.Decl) string {
	if function, is := declared.(*ast.FuncDecl); is {
		return function.Name.Name
	}
	return ""
}

// lives tries the routes of the module that came out, as it was installed.
func lives(t *testing.T, owner *person) {
	t.Helper()
	const root = "/api/v1/modules/" + guided
	for _, c := range []struct {
		method, path string
		body         any
		status       int
		wanted       string
	}{
		{"POST", "/notes", map[string]string{"text": "Ruth has the key"}, http.StatusCreated, `"id":1`},
		{"PUT", "/notes/1/picture", strings.NewReader("a picture"), http.StatusNoContent, ""},
		{"POST", "/reminders", nil, http.StatusOK, `{"outcome":"NOT_CONFIGURED"}`},
		{"DELETE", "/notes/2", nil, http.StatusNotFound, "NOTE_NOT_FOUND"},
		{"DELETE", "/notes/1", nil, http.StatusNoContent, ""},
		{"GET", "/notes", nil, http.StatusOK, `{"notes":[]}`},
	} {
		if got := owner.do(c.method, root+c.path, c.body); got.status != c.status || !strings.Contains(got.body, c.wanted) {
			t.Errorf("%s %s: %d %s", c.method, c.path, got.status, got.body)
		}
	}
	if got := owner.listens("/api/v1/module-realtime/" + guided + "/answered").next(); got != "snapshot 1" {
		t.Error(got)
	}
}
