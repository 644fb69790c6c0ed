package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modulehost/sdktest"
)

// BenchmarkImport imports 2,000 volunteers, the most that there may be; each import is undone outside of the
// time.
func BenchmarkImport(b *testing.B) {
	f := &fixture{}
	m := sdktest.Start(b, newRota(), sdktest.Options{
		Configuration: map[string]any{"teamName": "Welcome team", "dashboardLink": "https://church.example.org/"},
		Secrets:       map[string]string{"linkSigningKey": "a key for tests"},
		Capabilities: map[string]sdk.Methods{"stage.services": {"upcoming": sdk.Func(f.upcoming),
			"states": sdk.Func(f.states)}},
	})
	office := m.Person(coordinator...)
	var list strings.Builder
	list.WriteString("Name,E-mail,Roles\n")
	for n := range maxVolunteers {
		fmt.Fprintf(&list, "Volunteer %d,v%[1]d@example.org,\"Tea, Reader, Sound\"\n", n)
	}
	for b.Loop() {
		request := office.Request("POST", "/volunteers/import", strings.NewReader(list.String()))
		request.Header.Set("Content-Type", "text/csv")
		if got := office.Send(request); !strings.Contains(got.Body, `"added":2000`) {
			b.Fatalf("%.300s", got.Body)
		}
		b.StopTimer()
		var past struct{ Imports []sdk.PastImport }
		office.Do("GET", "/imports", nil).JSON(&past)
		office.Do("DELETE", "/imports/"+past.Imports[0].ID, nil)
		b.StartTimer()
	}
}
