package e2e

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"

	"github.com/anishathalye/porcupine"

	"github.com/narthex-platform/narthex/services/randomtest"
)

// configurationHistory: several clients replace one module's configuration document, mostly on the condition
// that it still has the revision that they read.
type configurationHistory struct {
	history
	c     *processes
	seen  [clientsPerSubject]int64 // by client: the revision that it read last
	wrote [clientsPerSubject]int
}

type document struct {
	rev     int64
	title   string
	seconds int64
}

type configurationInput struct {
	verb        string // read or replace
	conditional bool
	document    // what is written; rev: the revision that it replaces, if conditional
}

type configurationOutput struct {
	answer string
	document
}

// configurationState is the document, if it is known.
type configurationState struct {
	known bool
	document
}

func newConfiguration(c *processes) *configurationHistory { return &configurationHistory{c: c} }

func (c *configurationHistory) model() porcupine.Model {
	return sequential(sameState[configurationInput], configurationStep)
}

func configurationStep(
	now configurationState, in configurationInput, out *configurationOutput,
) (bool, configurationState) {
	next := configurationState{true, document{now.rev + 1, in.title, in.seconds}}
	fits := !in.conditional || in.rev == now.rev
	switch {
	case in.verb == "read":
		return out.answer == "200" && (!now.known || out.document == now.document),
			configurationState{true, out.document}
	case !now.known:
		return true, now
	case !fits:
		return out == nil || out.answer == "409 CONFLICT", now
	default:
		return out == nil || out.answer == "200", next
	}
}

func (c *configurationHistory) begin(*testing.T) { c.read(0) }

const configurationPath = "/api/v1/module-configuration/configured"

func (c *configurationHistory) read(client int) { c.readBy(client, randomtest.New(0, 0)) }

func (c *configurationHistory) readBy(client int, random *rand.Rand) {
	out, known := observeRead(&c.history, client, configurationInput{verb: "read"},
		func() (configurationOutput, outcome) {
			got, known := c.c.ask(random, c.c.admin.cookie, "GET", configurationPath, nil)
			return c.shown(got, known), known
		})
	if known == answered {
		c.seen[client] = out.rev
	}
}

func (c *configurationHistory) shown(got httpResponse, known outcome) configurationOutput {
	out := configurationOutput{answer: codeOf(got)}
	if known != answered || got.status != http.StatusOK {
		return out
	}
	view := decoded[struct {
		Rev  int64
		Keys []struct {
			Key   string
			Value any
		}
	}](c.c.t, got)
	out.rev = view.Rev
	for _, k := range view.Keys {
		switch value := k.Value.(type) {
		case string:
			if k.Key == "title" {
				out.title = value
			}
		case float64:
			if k.Key == "seconds" {
				out.seconds = int64(value)
			}
		}
	}
	return out
}

func (c *configurationHistory) act(client int, random *rand.Rand) {
	if random.IntN(10) < 4 {
		c.readBy(client, random)
		return
	}
	c.wrote[client]++
	in := configurationInput{verb: "replace", conditional: random.IntN(5) > 0, document: document{
		rev: c.seen[client], title: fmt.Sprintf("%d of %d", c.wrote[client], client),
		seconds: int64(4 + random.IntN(100)),
	}}
	body := map[string]any{"values": map[string]any{"title": in.title, "seconds": in.seconds}}
	if in.conditional {
		body["rev"] = in.rev
	}
	var view configurationOutput
	_, known := observe(&c.history, client, in, func() (configurationOutput, outcome) {
		got, known := c.c.ask(random, c.c.admin.cookie, "PUT", configurationPath, body)
		view = c.shown(got, known)
		return configurationOutput{answer: view.answer}, known
	})
	// The response shows the document after the write, or after a later write, but never an older one.
	if known == answered && view.answer == "200" {
		if in.conditional && view.rev <= in.rev {
			c.c.t.Errorf("after a write over revision %d the answer shows revision %d", in.rev, view.rev)
		}
		c.seen[client] = view.rev
	}
}
