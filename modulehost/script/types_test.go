package script_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/sdktest"
)

// TestServerPackage: the package @narthex/server has everything that the platform gives to a script, and its
// types name the same.
func TestServerPackage(t *testing.T) {
	t.Parallel()
	m := start(t, sample(`m.get("/names", "sample.use", () => Object.keys(narthex).sort());`), sdktest.Options{})
	given := strings.Split(strings.Trim(string(m.Person().Do("GET", "/names", nil).Body), `[]"`), `","`)
	for file, pattern := range map[string]string{
		"../../web/server/narthex-server.js":   `(?m)^\t(.*),$`,
		"../../web/server/narthex-server.d.ts": `(?m)^export (?:const|function|class) (\w+)`,
	} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var named []string
		for _, found := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(text), -1) {
			named = append(named, strings.Split(found[1], ", ")...)
		}
		slices.Sort(named)
		if !slices.Equal(named, given) {
			t.Errorf("%s names %v, and the platform gives %v", file, named, given)
		}
	}
}
