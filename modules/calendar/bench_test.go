package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modulehost/sdktest"
)

// BenchmarkImport imports 5,000 events, the most that one import takes; each is undone outside of the time.
func BenchmarkImport(b *testing.B) {
	m := sdktest.Start(b, &calendar{}, sdktest.Options{TimeZone: "Europe/Berlin"})
	office := m.Person(manageEvents)
	var file strings.Builder
	file.WriteString("title,start,end,location\n")
	for n := range maxImported {
		fmt.Fprintf(&file, "Event %d,2027-%02d-%02dT%02d:00,,Hall\n", n, 1+n%12, 1+n/12%28, 4+n/336)
	}
	for b.Loop() {
		request := office.Request("POST", "/import?format=csv", strings.NewReader(file.String()))
		request.Header.Set("Content-Type", "text/csv")
		if got := office.Send(request); !strings.Contains(got.Body, `"events":5000`) {
			b.Fatal(got)
		}
		b.StopTimer()
		var past struct{ Imports []sdk.PastImport }
		office.Do("GET", "/imports", nil).JSON(&past)
		office.Do("DELETE", "/imports/"+past.Imports[0].ID, nil)
		b.StartTimer()
	}
}
