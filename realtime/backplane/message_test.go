package backplane

import (
	"bytes"
	"encoding/json"
	"testing"
)

// FuzzMessage decodes any bytes as a message of the backplane: accepted data is one line of JSON.
func FuzzMessage(f *testing.F) {
	head := append(append([]byte{2, 1}, make([]byte, 23)...), 1)
	f.Add(append(append(bytes.Clone(head), 0), `{"a": 1}`...))
	f.Add(append(append(bytes.Clone(head), 3), `key{"a": 1}`...))
	f.Add(append(append(bytes.Clone(head), 0), "{}\n\nevent: snapshot"...))
	f.Add(append(append(bytes.Clone(head), 200), "too short a key"...))
	f.Add([]byte{2, 3})
	f.Fuzz(func(t *testing.T, b []byte) {
		p, ok := readMessage(bytes.Clone(b))
		if ok && p.Data != nil && (!json.Valid(p.Data) || bytes.ContainsAny(p.Data, "\r\n")) {
			t.Errorf("%q was accepted as %q, want one line of JSON", b, p.Data)
		}
	})
}
