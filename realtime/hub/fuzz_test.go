package hub_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/narthex-platform/narthex/realtime/hub"
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
			_, channel, stop := serve(t, newModule().snapshot, nil)
			c := dial(t, channel)
			synctest.Wait()
			var want bytes.Buffer
			valid := json.Compact(&want, data) == nil
			err := channel.Publish(1, 1, bytes.Clone(data))
			synctest.Wait()
			updates := named(c.events(t), "update")
			switch {
			case err == nil && (!valid || len(updates) != 1 || updates[0].data != want.String()):
				t.Errorf("%q was sent as %q, want one update with the same JSON", data, updates)
			case err != nil && len(updates) != 0:
				t.Errorf("%q was refused and went out", data)
			case err != nil && !errors.Is(err, hub.ErrInvalid) && !errors.Is(err, hub.ErrTooLarge):
				t.Error(err)
			}
			stop()
			<-c.ended
		})
	})
}
