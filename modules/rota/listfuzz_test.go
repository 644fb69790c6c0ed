package main

import (
	"testing"

	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modulehost/sdk/files/filestest"
)

// FuzzList: every list is read or refused, and what is read can be stored.
func FuzzList(f *testing.F) {
	f.Add([]byte("sep=;\nName;E-Mail;Rollen\nAda;ada@example.org;Tea, Welcome\n"), "")
	f.Add([]byte("x\ty\nAda\tBen <ben@example.org>\n"), "above:1,name:0,email:1")
	f.Fuzz(func(t *testing.T, content []byte, choice string) {
		found := sdk.Exchange{Preview: true, Choice: choice}
		var list volunteerList
		filestest.Bounded(t, content, func() { list = readList(content, &found) })
		for _, l := range list.lines {
			if err := l.draft.check(); err != nil {
				t.Fatalf("line %d: %+v, which cannot be stored: %v", l.number, l.draft, err)
			}
		}
	})
}

// FuzzArchive: every archive is accepted or refused, element by element.
func FuzzArchive(f *testing.F) {
	f.Add([]byte(`{"rota":1,"roles":[],"volunteers":[{"id":"x","pairs":[{}]}],"assignments":[{}]}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		filestest.Bounded(t, content, func() {
			all := arriving{arrived: &arrived{}}
			all.read(content)
		})
	})
}
