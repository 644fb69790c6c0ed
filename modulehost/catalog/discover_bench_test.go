package catalog_test

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/catalog"
)

// installChain installs browser-only modules with 16 KiB of script each: a chain of a hundred, and others
// that depend on the last of the chain, and on the first if it is there.
func installChain(t testing.TB, modules int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	script := strings.Repeat("export default 1;", 16<<10/17)
	for i := range modules {
		id := fmt.Sprintf("m%d", i)
		more := fields{"entrypoints": fields{"ui": "ui.js"}, "provides": provides(id+".thing", "1.2.0"),
			"permissions": []fields{{"id": id + ".see", "baseline": "authenticated"},
				{"id": id + ".manage", "baseline": "restricted"}}}
		switch {
		case i == 0:
		case i < 100:
			more["dependencies"] = needs([]string{fmt.Sprintf("module m%d ^1.0.0", i-1)})
		default:
			more["dependencies"] = needs([]string{"capability m99.thing ~1.2"}, "module m0 >=1.0.0 <2.0.0",
				"module gone *")
		}
		write(t, filepath.Join(install(t, dir, id, more), "ui.js"), script)
	}
	return dir
}

// TestModulesNeedLittleMemory checks that the catalog keeps little more of a module than its scripts, 16 KiB
// here. It is not parallel, because the figure covers the whole process. It does not check the allocations,
// because the race detector multiplies them; the benchmark reports them.
func TestModulesNeedLittleMemory(t *testing.T) {
	const modules = 250
	if _, live := memory(t, installChain(t, modules)); live > modules*24<<10 {
		t.Errorf("1,000 modules with 16 KiB of script each keep %d KiB in memory", live>>10)
	}
}

// memory returns the bytes that one discovery allocates, and those that its catalog keeps.
func memory(t testing.TB, dir string) (allocated, live uint64) {
	t.Helper()
	var before, after, kept runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	found, err := catalog.Discover(dir, true, platform)
	runtime.ReadMemStats(&after)
	must(t, err)
	runtime.GC()
	runtime.ReadMemStats(&kept)
	runtime.KeepAlive(found)
	return after.TotalAlloc - before.TotalAlloc, kept.HeapAlloc - before.HeapAlloc
}

// BenchmarkDiscover1000 also reports what is allocated for a thousand modules, and what is kept.
func BenchmarkDiscover1000(b *testing.B) {
	dir := installChain(b, 1000)
	allocated, live := memory(b, dir)
	for b.Loop() {
		if _, err := catalog.Discover(dir, true, platform); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N), "ms/op")
	b.ReportMetric(float64(allocated)/(1<<20), "MiB-allocated")
	b.ReportMetric(float64(live)/(1<<20), "MiB-live")
}
