package main

import (
	"bytes"
	"testing"
)

// FuzzExport: every file is read or refused, value by value.
func FuzzExport(f *testing.F) {
	f.Add([]byte(`{"announcements":1,"notices":[{"id":"x","kind":"notice","title":"t","body":"",` +
		`"imageId":null,"payload":null,"startsAt":null,"endsAt":null,"enabled":true}],` +
		`"pictures":[{"id":"y","data":"eA=="}]}`))
	f.Fuzz(func(_ *testing.T, content []byte) {
		r := newExchangeReader(bytes.NewReader(content))
		if r.begin() != nil {
			return
		}
		i := &importing{named: make(map[string]bool)}
		if i.readNotices(r) != nil || r.list("pictures") != nil {
			return
		}
		for {
			var p exchangedPicture
			if more, err := r.more(); err != nil || !more || r.value(&p) != nil {
				return
			}
			_, _ = uploadOf(p)
		}
	})
}
