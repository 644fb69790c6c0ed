package backplane

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"github.com/narthex-platform/narthex/services/leaktest"
	"github.com/narthex-platform/narthex/supervisor/setting"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// accepts reports whether a message is authentic, timely and not repeated.
func accepts(s *signer, subject string, message []byte) bool {
	_, number, ok := s.verify(subject, message)
	if !ok {
		return false
	}
	fresh, timely := s.fresh(PeerID{}, number)
	return fresh && timely
}

// A message is accepted once, for its installation and its subject, within half a minute.
func TestSignature(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		keys := setting.Keys{Current: []byte("current"), Previous: []byte("previous")}
		sender := newSigner(keys, "one")
		message := sender.sign("a.b", []byte("body"))
		altered := bytes.Clone(message)
		altered[5] ^= 1
		for name, r := range map[string]struct {
			keys         setting.Keys
			installation string
			subject      string
			message      []byte
			good         bool
		}{
			"as it is": {keys, "one", "a.b", message, true},
			"after the replacement": {setting.Keys{Current: []byte("next"), Previous: keys.Current}, "one", "a.b",
				message, true},
			"the key before":       {setting.Keys{Current: keys.Previous}, "one", "a.b", message, false},
			"another key":          {setting.Keys{Current: []byte("other")}, "one", "a.b", message, false},
			"another installation": {keys, "two", "a.b", message, false},
			"another subject":      {keys, "one", "a.c", message, false},
			"altered":              {keys, "one", "a.b", altered, false},
			"cut":                  {keys, "one", "a.b", message[:39], false},
			"empty":                {keys, "one", "a.b", nil, false},
		} {
			if got := accepts(newSigner(r.keys, r.installation), r.subject, r.message); got != r.good {
				t.Errorf("%s: accepted %v, want %v", name, got, r.good)
			}
		}
		receiver := newSigner(keys, "one")
		again := sender.sign("a.b", []byte("body"))
		for i, want := range []bool{true, false} {
			if got := accepts(receiver, "a.b", again); got != want {
				t.Errorf("time %d: accepted %v, want %v", i+1, got, want)
			}
		}
		if accepts(receiver, "a.b", message) {
			t.Error("an older message was accepted after a newer one")
		}
		late := sender.sign("a.b", []byte("body"))
		time.Sleep(31 * time.Second)
		if accepts(receiver, "a.b", late) {
			t.Error("a message of half a minute ago was accepted")
		}
	})
}
