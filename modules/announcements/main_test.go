package main

import (
	"net/http"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/sdktest"
)

func TestMain(m *testing.M) { sdktest.Main(m) }

func TestPublishing(t *testing.T) {
	t.Parallel()
	m := sdktest.Start(t, &announcements{}, sdktest.Options{})
	office, guest := m.Person(manageSlides), m.Person()
	var created slide
	office.Do("POST", "/slides", `{"title":"Shared lunch"}`).JSON(&created)
	if got := guest.Do("GET", "/slides", nil); got.Body != `{"slides":[],"rev":1}` {
		t.Error("a draft is shown: ", got)
	}
	enabled := true
	published := draft{Title: &created.Title, Enabled: &enabled, Rev: &created.Rev}
	for _, want := range []int{http.StatusOK, http.StatusConflict} { // the second writer saw an older rev
		if got := office.Do("PUT", "/slides/"+created.ID, published); got.Status != want {
			t.Errorf("PUT /slides/%s: %s, want %d", created.ID, got, want)
		}
	}
	if got := guest.Do("DELETE", "/slides/"+created.ID, nil); got.Status != http.StatusForbidden {
		t.Error(got)
	}
	if !m.Logged("slide created") {
		t.Error(m.Logs())
	}
}
