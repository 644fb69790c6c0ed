package sdktest_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modulehost/sdktest"
)

// TestSubscribe: every reader gets the snapshot first and then all updates in order.
func TestSubscribe(t *testing.T) {
	t.Parallel()
	module, m := startPosters(t)
	writer := m.Person("posters.write", "posters.view")
	writer.Do("PUT", "/posters/advent", `"1"`)
	screen, page := m.Device("posters.view").Subscribe("wall"), writer.Subscribe("wall")
	if screen.String() != `200 ["advent"]` || page.String() != `200 ["advent"]` {
		t.Errorf("snapshots: screen %s, page %s, want 200 [\"advent\"] for both", screen, page)
	}
	const updates = 200
	for n := range updates {
		if err := module.host.Realtime.Publish("wall", n); err != nil {
			t.Fatal(err)
		}
	}
	for n := range updates {
		if got, want := screen.Update()+" "+page.Update(), fmt.Sprintf("%d %d", n, n); got != want {
			t.Fatalf("updates of screen and page: %s, want %s", got, want)
		}
	}
	writer.Do("PUT", "/posters/lent", `"2"`)
	late := m.Owner().Subscribe("wall")
	var names []string
	if late.JSON(&names); len(names) != 2 || names[1] != "lent" {
		t.Error(names)
	}
	if got := page.Update(); got != `"lent"` {
		t.Errorf("page.Update: got %.200q, want %.200q", got, `"lent"`)
	}
}

// TestSubscribeLatest: a slow reader of a LatestChannel gets few updates, and the last value of each key.
func TestSubscribeLatest(t *testing.T) {
	t.Parallel()
	module, m := startPosters(t)
	screen := m.Device("posters.view").Subscribe("lamps")
	type lamp struct {
		Name  string
		Level int
	}
	const levels = 2_000
	for level := range levels {
		for _, name := range []string{"left", "right"} {
			if err := module.host.Realtime.PublishLatest("lamps", name, lamp{name, level}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for newest := map[string]int{}; newest["left"] != levels-1 || newest["right"] != levels-1; {
		var got lamp
		if err := json.Unmarshal([]byte(screen.Update()), &got); err != nil || got.Level < newest[got.Name] {
			t.Fatalf("%+v after level %d, %v", got, newest[got.Name], err)
		}
		newest[got.Name] = got.Level
	}
	for name, c := range map[string]struct{ got, want error }{
		"Publish":       {module.host.Realtime.Publish("lamps", 1), sdk.ErrChannelLatest},
		"on another":    {module.host.Realtime.PublishLatest("wall", "left", 1), sdk.ErrChannelLatest},
		"without a key": {module.host.Realtime.PublishLatest("lamps", "", 1), sdk.ErrChannelKey},
		"a long key": {module.host.Realtime.PublishLatest("lamps", strings.Repeat("k", 129), 1),
			sdk.ErrChannelKey},
		"a large value": {module.host.Realtime.PublishLatest("lamps", "left",
			strings.Repeat("x", sdk.MaxLatest)), sdk.ErrUpdateTooLarge},
		"nothing to encode": {module.host.Realtime.PublishLatest("none", "left", func() {}), sdk.ErrChannelUnknown},
	} {
		if !errors.Is(c.got, c.want) {
			t.Errorf("%s: %v, want %v", name, c.got, c.want)
		}
	}
	for key := range 126 {
		if err := module.host.Realtime.PublishLatest("lamps", fmt.Sprint(key), 1); err != nil {
			t.Fatal(err)
		}
	}
	if err := module.host.Realtime.PublishLatest("lamps", "the 129th", 1); err != sdk.ErrChannelKey {
		t.Errorf("a 129th key: %v, want %v", err, sdk.ErrChannelKey)
	}
}

// TestSubscribeRefusals: a caller without the permission gets no data, and a test that uses a Subscription
// wrongly fails.
func TestSubscribeRefusals(t *testing.T) {
	t.Parallel()
	module, m := startPosters(t)
	viewer := m.Device("posters.view")
	for name, c := range map[string]struct {
		got  fmt.Stringer
		want string
	}{
		"a person without the permission": {m.Person("posters.write").Subscribe("wall"),
			`403 {"code":"PERMISSION_DENIED"}`},
		"a screen without a permission": {m.Device().Subscribe("wall"), `403 {"code":"PERMISSION_DENIED"}`},
		"nobody": {m.Visitor().Subscribe("wall"),
			`401 {"code":"AUTHENTICATION_REQUIRED"}`},
		"an undeclared channel": {viewer.Subscribe("door"), `404 {"code":"NOT_FOUND"}`},
	} {
		if c.got.String() != c.want {
			t.Errorf("%s: %s, want %s", name, c.got, c.want)
		}
	}
	if err := module.host.Realtime.Publish("door", 1); !errors.Is(err, sdk.ErrChannelUnknown) {
		t.Errorf("Publish: error %v, want %v", err, sdk.ErrChannelUnknown)
	}
	if err := module.host.Realtime.Publish("wall",
		strings.Repeat("x", sdk.MaxUpdate)); !errors.Is(err, sdk.ErrUpdateTooLarge) {
		t.Errorf("Publish: error %v, want %v", err, sdk.ErrUpdateTooLarge)
	}
	module.lost = true
	if got := viewer.Subscribe("wall"); got.Status != http.StatusInternalServerError ||
		got.Body != `{"code":"MODULE_HANDLER_FAILED"}` {
		t.Errorf("viewer.Subscribe: status %v, want %v; body %.200q, want %.200q",
			got.Status, http.StatusInternalServerError, got.Body, `{"code":"MODULE_HANDLER_FAILED"}`)
	}
	for want, update := range map[string]func(*sdktest.Module){
		`sdktest: no update comes to who was refused: 403 {"code":"PERMISSION_DENIED"}`: func(m *sdktest.Module) {
			m.Device().Subscribe("wall").Update()
		},
		"sdktest: no update within 10ms: context canceled": func(m *sdktest.Module) {
			s := m.Device("posters.view").Subscribe("wall")
			sdktest.SetEventTimeout(s, 10*time.Millisecond)
			s.Update()
		},
	} {
		got := failure(t, func(t testing.TB) {
			_, m := startPosters(t)
			update(m)
		})
		if got != want {
			t.Errorf("failure: got %v, want %v", got, want)
		}
	}
}
