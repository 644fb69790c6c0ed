package main

import (
	"bytes"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/sdk/files/filestest"
)

// FuzzExport: every file is read or refused, value by value.
func FuzzExport(f *testing.F) {
	f.Add([]byte(`{"announcements":1,"notices":[{"id":"x","kind":"notice","title":"t","body":"",` +
		`"imageId":null,"payload":null,"startsAt":null,"endsAt":null,"enabled":true}],` +
		`"pictures":[{"id":"y","data":"eA=="}]}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		filestest.Bounded(t, content, func() { readAll(content) })
	})
}

func readAll(content []byte) {
	r := newExchangeReader(bytes.NewReader(content))
	if r.begin() != nil {
		return
	}
	i := &importing{named: make(map[string]bool)}
	if i.readNotices(r) != nil || r.list("pictures") != nil {
		return
	}
	for {
		if more, err := r.more(); err != nil || !more {
			break
		}
		var p exchangedPicture
		fits, err := r.element(&p)
		if err != nil {
			return
		}
		if fits {
			_, _ = uploadOf(p)
		}
	}
	if r.has() && r.passMissing() != nil {
		return
	}
	_ = r.end()
}
