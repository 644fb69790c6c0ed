package e2e

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/anishathalye/porcupine"

	"github.com/narthex-platform/narthex/services/randomtest"
)

// pairingsHistory: several administrators decide about the codes of screens, while the screens collect and
// use their credentials. One decision counts, and a used credential cannot be collected again.
type pairingsHistory struct {
	history
	c *processes

	mu    sync.Mutex
	codes []*pairingCode // the newest last
}

// pairingCode is what the clients know about one screen. It is guarded by the mutex of its history.
type pairingCode struct {
	code, claim      string // claim is the screen's cookie
	deviceID, device string // deviceID is from the approval; device is the credential's cookie
}

type pairingInput struct {
	verb  string // status, approve, reject, claim, use or revoke
	code  string
	label string
}

type pairingOutput struct {
	answer string
	label  string // for claim
	device string // for claim
	state  string // for status
}

// pairingState is a pairing and its device. The zero value is a pending pairing.
type pairingState struct {
	step    string // "", approved, rejected, claimed or used
	label   string
	device  string // the credential; "": no client received it
	revoked bool
}

func newPairings(c *processes) *pairingsHistory { return &pairingsHistory{c: c} }

func (p *pairingsHistory) model() porcupine.Model {
	return sequential(func(in pairingInput) string { return in.code }, pairingStep)
}

func pairingStep(now pairingState, in pairingInput, out *pairingOutput) (bool, pairingState) {
	switch in.verb {
	case "status":
		return statusFits(now, *out), now
	case "claim":
		return claimStep(now, out)
	}
	next, want := now, "200"
	switch in.verb {
	case "approve":
		want = "409 PAIRING_ALREADY_DECIDED"
		if now.step == "" {
			next, want = pairingState{step: "approved", label: in.label}, "200"
		}
	case "reject":
		want = "409 PAIRING_ALREADY_DECIDED"
		if now.step == "" {
			next, want = pairingState{step: "rejected"}, "204"
		}
	case "use":
		want = "401 AUTHENTICATION_REQUIRED"
		if now.revoked && out != nil && out.answer == "403 PERMISSION_DENIED" {
			// The revocation came between the look at the credential and the one at its grants. A screen treats
			// both alike (docs/reference/browser.md).
			want = out.answer
		}
		if (now.step == "claimed" || now.step == "used") && !now.revoked {
			next.step, want = "used", "200"
		}
	case "revoke":
		next.revoked = true
		if now.step == "approved" {
			next.step = "rejected"
		}
	}
	return out == nil || out.answer == want, next
}

func statusFits(now pairingState, out pairingOutput) bool {
	want := now.step
	switch {
	case now.step == "":
		want = "pending"
	case now.step == "claimed" && now.revoked:
		// If a revocation comes before the first use, the use is refused but still ends the claim.
		if out.answer == "404 PAIRING_NOT_FOUND" {
			return true
		}
		want = "expired"
	case now.step == "claimed":
		want = "approved" // its screen may not have received the response
	case now.step == "used":
		return out.answer == "404 PAIRING_NOT_FOUND"
	}
	return out.answer == "200" && out.state == want
}

// claimStep: until its first use the same credential may be collected again.
func claimStep(now pairingState, out *pairingOutput) (bool, pairingState) {
	want, next := "409 PAIRING_NOT_APPROVED", now
	switch {
	case now.step == "approved", now.step == "claimed" && !now.revoked:
		want, next.step = "200", "claimed"
	case now.step == "used", now.step == "claimed":
		want = "404 PAIRING_NOT_FOUND"
	}
	if out == nil {
		return true, next
	}
	if want == "200" {
		next.device = out.device
		return out.answer == want && out.label == now.label && (now.device == "" || now.device == out.device), next
	}
	return out.answer == want, next
}

func (p *pairingsHistory) begin(*testing.T) { p.codes = nil }

func (p *pairingsHistory) read(client int) {
	random := randomtest.New(0, 0)
	for _, code := range p.codes {
		p.status(client, random, *code)
	}
}

// open begins a pairing. If the client gets no response, it has no code, and the pairing is not used any
// further.
func (p *pairingsHistory) open(random *rand.Rand) {
	got, known := p.c.ask(random, "", "POST", "/api/v1/device-pairing",
		map[string]string{"moduleId": "calendar"})
	if known != answered {
		return
	}
	if got.status != http.StatusCreated {
		p.c.t.Errorf("POST /api/v1/device-pairing: %s", codeOf(got))
		return
	}
	claim, _, _ := strings.Cut(got.header.Get("Set-Cookie"), ";")
	p.mu.Lock()
	defer p.mu.Unlock()
	p.codes = append(p.codes, &pairingCode{
		code: decoded[struct{ PairingCode string }](p.c.t, got).PairingCode, claim: claim,
	})
}

// choose returns what is known about one of the newest screens.
func (p *pairingsHistory) choose(random *rand.Rand) (one pairingCode, update *pairingCode) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.codes) == 0 {
		return pairingCode{}, nil
	}
	update = p.codes[max(0, len(p.codes)-1-random.IntN(3))]
	return *update, update
}

func (p *pairingsHistory) act(client int, random *rand.Rand) {
	screen, update := p.choose(random)
	n := random.IntN(40)
	if update == nil || n < 3 {
		p.open(random)
		return
	}
	switch {
	case n < 8:
		p.status(client, random, screen)
	case n < 14:
		p.approve(client, random, screen, update)
	case n < 16:
		in := pairingInput{verb: "reject", code: screen.code}
		observe(&p.history, client, in, func() (pairingOutput, outcome) {
			got, known := p.c.ask(random, p.c.admin.cookie, "POST", "/api/v1/device-pairing/"+screen.code+"/reject",
				struct{}{})
			return pairingOutput{answer: codeOf(got)}, known
		})
	case n < 26:
		p.claim(client, random, screen, update)
	case n < 37 && screen.device != "":
		in := pairingInput{verb: "use", code: screen.code}
		observe(&p.history, client, in, func() (pairingOutput, outcome) {
			got, known := p.c.ask(random, screen.device, "GET", "/api/v1/module-displays/calendar", nil)
			return pairingOutput{answer: codeOf(got)}, known
		})
	case screen.deviceID != "":
		in := pairingInput{verb: "revoke", code: screen.code}
		observe(&p.history, client, in, func() (pairingOutput, outcome) {
			got, known := p.c.ask(random, p.c.admin.cookie, "POST", "/api/v1/devices/"+screen.deviceID+"/revoke",
				struct{}{})
			return pairingOutput{answer: codeOf(got)}, known
		})
	}
}

func (p *pairingsHistory) status(client int, random *rand.Rand, screen pairingCode) {
	observeRead(&p.history, client, pairingInput{verb: "status", code: screen.code},
		func() (pairingOutput, outcome) {
			got, known := p.c.ask(random, screen.claim, "GET", "/api/v1/device-pairing", nil)
			out := pairingOutput{answer: codeOf(got)}
			if known == answered && got.status == http.StatusOK {
				out.state = decoded[struct{ State string }](p.c.t, got).State
			}
			return out, known
		})
}

func (p *pairingsHistory) approve(client int, random *rand.Rand, screen pairingCode, update *pairingCode) {
	in := pairingInput{verb: "approve", code: screen.code,
		label: fmt.Sprintf("Screen %d of %d", random.Uint32(), client)}
	observe(&p.history, client, in, func() (pairingOutput, outcome) {
		got, known := p.c.ask(random, p.c.admin.cookie, "POST", "/api/v1/device-pairing/"+screen.code+"/approve",
			map[string]string{"label": in.label})
		if known == answered && got.status == http.StatusOK {
			p.mu.Lock()
			update.deviceID = decoded[struct{ ID string }](p.c.t, got).ID
			p.mu.Unlock()
		}
		return pairingOutput{answer: codeOf(got)}, known
	})
}

func (p *pairingsHistory) claim(client int, random *rand.Rand, screen pairingCode, update *pairingCode) {
	out, _ := observe(&p.history, client, pairingInput{verb: "claim", code: screen.code},
		func() (pairingOutput, outcome) {
			got, known := p.c.ask(random, screen.claim, "POST", "/api/v1/device-pairing/claim", struct{}{})
			out := pairingOutput{answer: codeOf(got)}
			if known == answered && got.status == http.StatusOK {
				out.label = decoded[struct{ Label string }](p.c.t, got).Label
				for _, line := range got.header.Values("Set-Cookie") {
					if pair, _, _ := strings.Cut(line, ";"); strings.HasPrefix(pair, "narthex_device=") {
						out.device = pair
					}
				}
			}
			return out, known
		})
	if out.device != "" {
		p.mu.Lock()
		update.device = out.device
		p.mu.Unlock()
	}
}
