package script

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"
)

var (
	errNoExport = errors.New("the script must end with its one export, \"export { name as default };\", as " +
		"narthex-dev modules:build writes it")
	errMapFile = errors.New("a source map is read only from within the script")
)

// mapMark begins the last line of a script with a source map.
const mapMark = "\n//# sourceMappingURL="

// compile turns an ES module without imports into a program whose value is the default export. The engine has
// no modules, so the export at the end becomes an expression of the same length: every place in the script
// stays where it is, also for the source map.
func compile(name string, source []byte) (*goja.Program, error) {
	program, err := withValue(source)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	parsed, err := goja.Parse(name, string(program), parser.WithSourceMapLoader(
		func(string) ([]byte, error) { return nil, errMapFile }))
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", name, err)
	}
	return goja.CompileAST(parsed, true) // strict, as modules are
}

// withValue replaces the export at the end by the exported name.
func withValue(source []byte) ([]byte, error) {
	code := source
	if at := bytes.LastIndex(source, []byte(mapMark)); at >= 0 {
		code = source[:at]
	}
	at := bytes.LastIndex(code, []byte("export"))
	if at < 0 {
		return nil, errNoExport
	}
	found := exportPattern().FindSubmatchIndex(code[at:])
	if found == nil {
		return nil, errNoExport
	}
	value := string(code[at+found[2]:at+found[3]]) + ";"
	blank := strings.Map(func(r rune) rune {
		if r == '\n' {
			return r
		}
		return ' '
	}, string(code[at:at+found[1]]))
	value += blank[len(value):]
	return append(append(append([]byte(nil), source[:at]...), value...), source[at+found[1]:]...), nil
}

// exportPattern matches what bundlers write, as far as the end of the code or comments that follow.
func exportPattern() *regexp.Regexp {
	return regexp.MustCompile(
		`^export\s*\{\s*([A-Za-z_$][A-Za-z0-9_$]*)\s+as\s+default\s*,?\s*\}\s*;?(?:\s*//[^\n]*)*\s*$`)
}
