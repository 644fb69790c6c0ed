package sdktest_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/mail"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modulehost/sdktest"
)

// posters is a module that stores images in a bucket, mails the office about each, and shows them on screens.
type posters struct {
	host       *sdk.Host
	lost       bool // the snapshot of the wall fails
	serveCount bool // Stop uses the mail server, the bucket and the channel
}

func (p *posters) Register(r *sdk.Registry) error {
	r.Handle("PUT /posters/{name}", "posters.write", sdk.Streamed(1<<20), p.hang)
	r.Handle("GET /posters/{name}", "posters.read", sdk.NoBody, p.show)
	r.Handle("DELETE /posters/{name}", "posters.write", sdk.NoBody, p.takeDown)
	r.Channel("wall", "posters.view", p.snapshot)
	r.LatestChannel("lamps", "posters.view", func(context.Context) (any, error) { return map[string]int{}, nil })
	return nil
}

func (p *posters) Start(_ context.Context, h *sdk.Host) error {
	p.host = h
	return nil
}

func (p *posters) Stop(ctx context.Context) error {
	if !p.serveCount {
		return nil
	}
	outcome, err := p.host.Mail.Send(ctx,
		sdk.Message{To: office, Subject: "The wall is closed", Text: "Until tomorrow."})
	if err == nil && outcome != sdk.MailSent {
		err = errors.New(string(outcome))
	}
	_, listed := p.images().List(ctx, "", "", 0)
	return errors.Join(err, listed, p.host.Realtime.Publish("wall", "closed"))
}

var office = []mail.Address{{Name: "Office", Address: "office@example.org"}}

func (p *posters) images() *sdk.Bucket { return p.host.Storage.Bucket("images") }

// hang responds with the result of the mail.
func (p *posters) hang(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	if _, err := p.images().Put(r.Context(), name, r.Header.Get("Content-Type"), r.Body); err != nil {
		panic(err)
	}
	if err := p.host.Realtime.Publish("wall", name); err != nil {
		panic(err)
	}
	outcome, err := p.host.Mail.Send(r.Context(), sdk.Message{
		To:      office,
		Subject: "New poster",
		Text:    "It is called " + name + ".",
		HTML:    "It is called <b>" + name + "</b>.",
		ReplyTo: &mail.Address{Name: "Ruth", Address: "ruth@example.org"},
	})
	if err != nil {
		panic(err)
	}
	_ = json.NewEncoder(w).Encode(outcome)
}

// show responds with a URL of the image.
func (p *posters) show(w http.ResponseWriter, r *http.Request) {
	url, _, err := p.images().CreateReadURL(r.Context(), r.PathValue("name"), 0)
	if err != nil {
		panic(err)
	}
	_ = json.NewEncoder(w).Encode(url)
}

func (p *posters) takeDown(w http.ResponseWriter, r *http.Request) {
	if err := p.images().Delete(r.Context(), r.PathValue("name")); err != nil {
		panic(err)
	}
	w.WriteHeader(http.StatusNoContent)
}

func (p *posters) snapshot(ctx context.Context) (any, error) {
	if p.lost {
		return nil, errors.New("lost")
	}
	page, err := p.images().List(ctx, "", "", 0)
	names := []string{}
	for _, image := range page.Objects {
		names = append(names, image.Key)
	}
	return names, err
}

// TestStop: the platform's services work until the module's Stop hook has returned. An error of the hook
// fails the test.
func TestStop(t *testing.T) {
	t.Parallel()
	module, m := &posters{}, (*sdktest.Module)(nil)
	t.Cleanup(func() { // runs after the hook
		if sent := m.Sent(); len(sent) != 2 || sent[1].Subject != "The wall is closed" {
			t.Errorf("Sent: number of sent %v, want %v; want sent[1].Subject to be %v",
				len(sent), 2, "The wall is closed")
		}
	})
	m = sdktest.Start(t, module, sdktest.Options{Folder: "testdata/posters"})
	m.Person("posters.write").Do("PUT", "/posters/advent", `"come"`)
	m.Owner().Subscribe("wall")
	module.serveCount = true
}

// startPosters starts a posters module.
func startPosters(t testing.TB) (*posters, *sdktest.Module) {
	t.Helper()
	module := &posters{}
	return module, sdktest.Start(t, module, sdktest.Options{Folder: "testdata/posters"})
}

// failure returns the message with which do fails its test; "" if it does not.
func failure(t *testing.T, do func(t testing.TB)) string {
	t.Helper()
	r := recordingT{t, make(chan string, 1)}
	func() {
		defer func() { _ = recover() }()
		do(r)
	}()
	close(r.words)
	return <-r.words
}
