package sdk_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"net"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// TestEveryCodeHasARemedy: whatever code the SDK declares, its author reads what to do about it.
func TestEveryCodeHasARemedy(t *testing.T) {
	t.Parallel()
	names := errorNames(t, ".")
	if len(names) < 30 {
		t.Fatalf("the SDK declares %d codes, want all of them: %v", len(names), names)
	}
	remedied := remediedNames(t)
	for _, name := range names {
		if !remedied[name] {
			t.Errorf("%s has no remedy in remedies.go", name)
		}
	}
}

// errorNames returns the constants of the type Error, and those of the link that the SDK passes on.
func errorNames(t *testing.T, folder string) (names []string) {
	t.Helper()
	for _, file := range parsed(t, folder) {
		ast.Inspect(file, func(node ast.Node) bool {
			spec, is := node.(*ast.ValueSpec)
			if !is || len(spec.Values) != 1 {
				return true
			}
			switch value := spec.Values[0].(type) {
			case *ast.CallExpr:
				if to, is := value.Fun.(*ast.Ident); is && to.Name == "Error" {
					names = append(names, spec.Names[0].Name)
				}
			case *ast.SelectorExpr:
				if of, is := value.X.(*ast.Ident); is && of.Name == "link" &&
					strings.HasPrefix(value.Sel.Name, "Err") {
					names = append(names, "link."+value.Sel.Name)
				}
			}
			return true
		})
	}
	return names
}

// remediedNames returns the keys of the table of remedies, without their conversions.
func remediedNames(t *testing.T) map[string]bool {
	t.Helper()
	names := make(map[string]bool)
	for _, file := range parsed(t, ".") {
		ast.Inspect(file, func(node ast.Node) bool {
			spec, is := node.(*ast.ValueSpec)
			if !is || spec.Names[0].Name != "remedies" {
				return true
			}
			for _, entry := range spec.Values[0].(*ast.CompositeLit).Elts {
				switch key := entry.(*ast.KeyValueExpr).Key.(type) {
				case *ast.Ident:
					names[key.Name] = true
				case *ast.CallExpr:
					names["link."+key.Args[0].(*ast.SelectorExpr).Sel.Name] = true
				}
			}
			return false
		})
	}
	return names
}

func parsed(t *testing.T, folder string) (files []*ast.File) {
	t.Helper()
	sources, err := fs.Glob(sdk.Sources(), folder+"/*.go")
	if folder == "." {
		sources, err = fs.Glob(sdk.Sources(), "*.go")
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range sources {
		text, err := fs.ReadFile(sdk.Sources(), source)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), source, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(source, "_test.go") {
			files = append(files, file)
		}
	}
	return files
}

// TestRemediesOfTheSandbox: an author who has not read of the sandbox learns from the error what it is that
// refused, and what to use.
func TestRemediesOfTheSandbox(t *testing.T) {
	t.Parallel()
	_, notFound := exec.LookPath("a-program-that-is-not-there")
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"network":   {&net.OpError{Op: "dial", Err: syscall.EPERM}, "no network; use Host.Mail"},
		"a name":    {&net.DNSError{Name: "example.org"}, "no network"},
		"a program": {notFound, "start no program"},
		"a fork":    {&fs.PathError{Op: "fork/exec", Path: "/bin/ls", Err: syscall.EPERM}, "start no program"},
		"a file":    {&fs.PathError{Op: "open", Path: "/tmp/x", Err: syscall.EACCES}, "Host.DB or Host.Storage"},
		"dev null":  {&fs.PathError{Op: "open", Path: "/dev/null", Err: syscall.EACCES}, "io.Discard"},
		"another":   {fmt.Errorf("made: %w", syscall.EPERM), "this call of the operating system"},
	} {
		if got := sdk.WithRemedy(c.err); !strings.Contains(got, "sandbox") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want the sandbox and %q in it", name, got, c.want)
		}
	}
	for _, err := range []error{errors.New("no note"),
		&fs.PathError{Op: "open", Path: "x.txt", Err: syscall.ENOENT}} {
		if got := sdk.WithRemedy(err); got != err.Error() {
			t.Errorf("%v became %q, want no remedy", err, got)
		}
	}
}
