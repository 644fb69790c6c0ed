package main

import (
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// FuzzList: every list is read or refused, and what is read can be stored.
func FuzzList(f *testing.F) {
	f.Add([]byte("sep=;\nName;E-Mail;Rollen\nAda;ada@example.org;Tea, Welcome\n"), "")
	f.Add([]byte("x\ty\nAda\tBen <ben@example.org>\n"), "above:1,name:0,email:1")
	f.Fuzz(func(t *testing.T, content []byte, choice string) {
		found := sdk.Exchange{Preview: true, Choice: choice}
		for _, l := range readList(content, &found).lines {
			if err := l.draft.check(); err != nil {
				t.Fatalf("line %d: %+v, which cannot be stored: %v", l.number, l.draft, err)
			}
		}
	})
}

// FuzzArchive: every archive is accepted or refused.
func FuzzArchive(f *testing.F) {
	f.Add([]byte(`{"rota":1,"roles":[],"volunteers":[{"id":"x","pairs":[{}]}],"assignments":[{}]}`))
	f.Fuzz(func(_ *testing.T, content []byte) {
		var all archive
		if json.Unmarshal(content, &all) == nil {
			all.check(&sdk.Exchange{})
		}
	})
}
