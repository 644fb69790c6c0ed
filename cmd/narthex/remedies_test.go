package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// authorsPackages declare codes that authors of modules see, each with what to do about them beside it.
var authorsPackages = map[string]int{ // how many codes
	"modulehost/archive": 10, "modulehost/authoring": 2, "modulehost/scaffold": 3, "modulehost/sdkexport": 2,
	"modulehost/modulelogs": 2, "modulehost/process": 11, "modulehost/decisions/configuration": 6,
	"modulehost/decisions/enablement": 2,
}

// remediedElsewhere are the other packages below modulehost that declare codes.
var remediedElsewhere = map[string]string{
	"modulehost/facade":   "what the host sends to a module is a code of the SDK, below",
	"modulehost/manifest": "each finding has words of its own, at its field",
	"modulehost/sdk":      "its own TestEveryCodeHasARemedy wants one for each",
	"modulehost/sdk/link": "the rules of docs/link.md, which modules:conform names",
}

// unseen are codes that are in no sentence: ErrHandlerFailed is the answer to one request, whose cause dev
// shows, and never why a process ended.
var unseen = map[string]bool{"ErrHandlerFailed": true}

// TestEveryPackageOfCodesIsCounted: a package of modulehost that declares codes is in one of the lists.
func TestEveryPackageOfCodesIsCounted(t *testing.T) {
	t.Parallel()
	counted := 0
	err := filepath.WalkDir("../../modulehost", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		if entry.Name() == "testdata" {
			return fs.SkipDir
		}
		if sources, err := filepath.Glob(filepath.Join(path, "*.go")); err != nil || len(sources) == 0 {
			return err
		}
		folder := filepath.ToSlash(strings.TrimPrefix(path, "../../"))
		if codes, _ := codesOf(t, folder); len(codes) == 0 {
			return nil
		}
		counted++
		if _, here := authorsPackages[folder]; !here && remediedElsewhere[folder] == "" {
			t.Errorf("%s declares codes, and nothing here says where their remedies are", folder)
		}
		return nil
	})
	if want := len(authorsPackages) + len(remediedElsewhere); err != nil || counted != want {
		t.Errorf("%d packages declare codes, want the %d of the lists; %v", counted, want, err)
	}
}

// TestEveryCodeOfAuthorsHasARemedy counts the codes that authors of modules see. Each is named where its
// package says what to do; one may be what is said of all others. The codes that the host sends to a module
// are codes of the SDK, whose own test wants a remedy for each.
func TestEveryCodeOfAuthorsHasARemedy(t *testing.T) {
	t.Parallel()
	for folder, count := range authorsPackages {
		codes, remedied := codesOf(t, folder)
		if len(codes) != count {
			t.Errorf("%s declares %d codes, and %d are listed here; each needs a remedy", folder, len(codes), count)
		}
		var without []string
		for name := range codes {
			if !remedied[name] && !unseen[name] {
				without = append(without, name)
			}
		}
		if slices.Sort(without); len(without) > 1 {
			t.Errorf("%s says nothing of its own for %q, and may for one", folder, without)
		}
	}
	sent, _ := codesOf(t, "modulehost/facade")
	known, remedied := codesOf(t, "modulehost/sdk")
	inLink, _ := codesOf(t, "modulehost/sdk/link")
	for name, code := range sent {
		var there bool
		for own, of := range known {
			there = there || of == code && remedied[own]
		}
		for _, of := range inLink {
			there = there || of == code
		}
		if !there {
			t.Errorf("the host sends %s (%s), and the SDK has no remedy for it", code, name)
		}
	}
	if len(sent) < 10 || len(known) < 25 {
		t.Errorf("%d codes of the host and %d of the SDK were found, want all of them", len(sent), len(known))
	}
}

// codesOf returns the codes of a package by their names, and the names that its sentences or remedies have.
func codesOf(t *testing.T, folder string) (codes map[string]string, remedied map[string]bool) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("../..", folder, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no sources: %v", folder, err)
	}
	codes, remedied = map[string]string{}, map[string]bool{}
	names := func(node ast.Node) bool {
		if name, is := node.(*ast.Ident); is {
			remedied[name.Name] = true
		}
		return true
	}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.FuncDecl:
				if node.Name.Name == "sentence" {
					ast.Inspect(node.Body, names)
				}
			case *ast.ValueSpec:
				if name := node.Names[0].Name; name == "sentences" || name == "remedies" {
					ast.Inspect(node.Values[0], names)
				} else if len(node.Values) == 1 {
					if code := errorCode(node.Values[0]); code != "" {
						codes[name] = code
					}
				}
			}
			return true
		})
	}
	return codes, remedied
}

// errorCode returns the text of Error("TEXT"); "" for other expressions.
func errorCode(expression ast.Expr) string {
	call, is := expression.(*ast.CallExpr)
	if !is || len(call.Args) != 1 {
		return ""
	}
	literal, text := call.Args[0].(*ast.BasicLit)
	if to, is := call.Fun.(*ast.Ident); !is || to.Name != "Error" || !text {
		return ""
	}
	code, _ := strconv.Unquote(literal.Value)
	return code
}
