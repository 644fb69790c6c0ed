package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modulehost/sdktest"
)

// BenchmarkImport imports 3,000 songs; each import is undone outside of the time.
func BenchmarkImport(b *testing.B) {
	m := sdktest.Start(b, &stage{}, sdktest.Options{})
	office := m.Person(editPlan)
	words := strings.Repeat("Holy, holy, holy! Lord God Almighty!\n", 4)
	var file strings.Builder
	for n := range 3000 {
		fmt.Fprintf(&file, "Song %d\n\n[Verse 1]\n%s\n[Chorus]\n%s\n[Verse 2]\n%s---\n", n, words, words, words)
	}
	for b.Loop() {
		request := office.Request("POST", "/songs/import", strings.NewReader(file.String()))
		request.Header.Set("Content-Type", "text/plain")
		if got := office.Send(request); !strings.Contains(got.Body, `"new":3000`) {
			b.Fatalf("%.300s", got.Body)
		}
		b.StopTimer()
		var past struct{ Imports []sdk.PastImport }
		office.Do("GET", "/imports", nil).JSON(&past)
		office.Do("DELETE", "/imports/"+past.Imports[0].ID, nil)
		b.StartTimer()
	}
}
