package realtime_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/narthex-platform/narthex/realtime"
)

// FuzzData publishes any bytes: a reader receives them as one line of one event, or no reader receives
// anything.
func FuzzData(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,2.5e3,null,true,"ü\n"]}`, "{}\n\nevent: snapshot\ndata: {}", "\"\r\"", ":", " [ 1 ,\r\n2 ] ",
		`{"a":1,"a":2}`, "\"\u2028\"", "\xff", "",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		synctest.Test(t, func(t *testing.T) {
			_, hub, stop := serve(t, newModule().snapshot, nil)
			c := dial(t, hub)
			synctest.Wait()
			var want bytes.Buffer
			valid := json.Compact(&want, data) == nil
			err := hub.Publish(1, 1, bytes.Clone(data))
			synctest.Wait()
			updates := named(c.events(t), "update")
			switch {
			case err == nil && (!valid || len(updates) != 1 || updates[0].data != want.String()):
				t.Errorf("%q was sent as %q, want one update with the same JSON", data, updates)
			case err != nil && len(updates) != 0:
				t.Errorf("%q was refused and went out", data)
			case err != nil && !errors.Is(err, realtime.ErrInvalid) && !errors.Is(err, realtime.ErrTooLarge):
				t.Error(err)
			}
			stop()
			<-c.ended
		})
	})
}

// FuzzPeerMessage decodes any bytes as a message of the backplane: accepted data is one line of JSON.
func FuzzPeerMessage(f *testing.F) {
	head := append(append([]byte{2, 1}, make([]byte, 23)...), 1)
	f.Add(append(append(bytes.Clone(head), 0), `{"a": 1}`...))
	f.Add(append(append(bytes.Clone(head), 3), `key{"a": 1}`...))
	f.Add(append(append(bytes.Clone(head), 0), "{}\n\nevent: snapshot"...))
	f.Add(append(append(bytes.Clone(head), 200), "too short a key"...))
	f.Add([]byte{2, 3})
	f.Fuzz(func(t *testing.T, b []byte) {
		data, ok := realtime.ReadPeerMessage(bytes.Clone(b))
		if ok && data != nil && (!json.Valid(data) || bytes.ContainsAny(data, "\r\n")) {
			t.Errorf("%q was accepted as %q, want one line of JSON", b, data)
		}
	})
}
