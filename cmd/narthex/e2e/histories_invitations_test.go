package e2e

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/anishathalye/porcupine"

	"github.com/narthex-platform/narthex/services/randomtest"
)

// invitationsHistory: several people try to join with the same links at the same time, while others withdraw
// or replace them. A link creates one account, and only while it is the newest of its address.
type invitationsHistory struct {
	history
	c *processes

	mu        sync.Mutex
	made      int
	addresses []*invitedAddress // of this history, the newest last
}

// invitedAddress is what the clients know about one address. It is guarded by the mutex of its history.
type invitedAddress struct {
	email, id string
	tokens    []string
}

type invitationInput struct {
	verb  string // invite, inspect, accept, withdraw, list or account
	email string
	token string // for inspect and accept
	id    string // for withdraw
}

type invitationOutput struct {
	answer string
	token  string // for invite
	id     string // for list: the newest invitation of the address; "": none
	state  string // for list
}

// invitationState is the newest invitation of an address.
type invitationState struct {
	state string // "" for none, or open, withdrawn, accepted
	token string // "?": no client received it
	id    string // "?": no client received it yet
	older string // the ids of earlier invitations, all withdrawn, each followed by a blank
}

func newInvitations(c *processes) *invitationsHistory { return &invitationsHistory{c: c} }

func (i *invitationsHistory) model() porcupine.Model {
	return sequential(func(in invitationInput) string { return in.email }, invitationStep)
}

func invitationStep(now invitationState, in invitationInput, out *invitationOutput) (bool, invitationState) {
	works := now.state == "open" && in.token == now.token
	next, want := now, "200"
	switch in.verb {
	case "invite":
		return inviteStep(now, out)
	case "inspect":
		if !works {
			want = "404 INVITATION_NOT_FOUND"
		}
	case "accept":
		if works {
			next.state = "accepted"
		} else {
			want = "404 INVITATION_NOT_FOUND"
		}
	case "list":
		if now.id == "?" && !strings.Contains(now.older, out.id+" ") {
			next.id = out.id
		}
		return out.answer == "200" && out.id == next.id && out.state == now.state, next
	case "account":
		if now.state != "accepted" {
			want = "none"
		}
	case "withdraw":
		if strings.Contains(now.older, in.id+" ") {
			break // it was withdrawn before
		}
		next.id = in.id
		if now.state == "accepted" {
			want = "409 INVITATION_ALREADY_ACCEPTED"
			break
		}
		next.state = "withdrawn"
	}
	return out == nil || out.answer == want, next
}

// inviteStep: a further invitation of an address keeps the open one and replaces its token.
func inviteStep(now invitationState, out *invitationOutput) (bool, invitationState) {
	if now.state == "accepted" {
		return out == nil || out.answer == "PERSON_ALREADY_EXISTS", now
	}
	next := now
	if now.state != "open" {
		next.id = "?"
		if now.state == "withdrawn" {
			next.older += now.id + " "
		}
	}
	next.state, next.token = "open", "?"
	if out == nil {
		return true, next
	}
	next.token = out.token
	return out.answer == "link", next
}

func (i *invitationsHistory) begin(*testing.T) { i.addresses = nil }

func (i *invitationsHistory) read(client int) {
	random := randomtest.New(0, 0)
	for _, one := range i.addresses {
		i.list(client, random, *one, one)
		i.account(client, random, *one)
	}
}

func (i *invitationsHistory) choose(random *rand.Rand) (one invitedAddress, update *invitedAddress) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(i.addresses) == 0 || random.IntN(25) == 0 {
		i.made++
		i.addresses = append(i.addresses, &invitedAddress{email: fmt.Sprintf("guest%d@example.org", i.made)})
	}
	update = i.addresses[max(0, len(i.addresses)-1-random.IntN(3))]
	return *update, update
}

func (i *invitationsHistory) act(client int, random *rand.Rand) {
	one, update := i.choose(random)
	token := ""
	if len(one.tokens) > 0 { // mostly the newest
		token = one.tokens[max(0, len(one.tokens)-1-random.IntN(5)/4)]
	}
	switch n := random.IntN(20); {
	case client == 0 && (n < 8 || token == ""): // a command needs a process, so only one client runs commands
		i.invite(client, random, one, update)
	case n < 5:
		i.list(client, random, one, update)
	case n < 7:
		i.account(client, random, one)
	case token == "":
	case n < 12:
		observeRead(&i.history, client, invitationInput{verb: "inspect", email: one.email, token: token},
			func() (invitationOutput, outcome) {
				got, known := i.c.ask(random, "", "POST", "/api/v1/invitations/inspect",
					map[string]string{"token": token})
				return invitationOutput{answer: codeOf(got)}, known
			})
	case n < 17:
		observe(&i.history, client, invitationInput{verb: "accept", email: one.email, token: token},
			func() (invitationOutput, outcome) {
				got, known := i.c.ask(random, "", "POST", "/api/v1/invitations/accept",
					map[string]string{"token": token, "name": fmt.Sprint("Guest of ", client), "password": ownerPassword})
				return invitationOutput{answer: codeOf(got)}, known
			})
	case one.id != "":
		observe(&i.history, client, invitationInput{verb: "withdraw", email: one.email, id: one.id},
			func() (invitationOutput, outcome) {
				got, known := i.c.ask(random, i.c.admin.cookie, "POST", "/api/v1/invitations/"+one.id+"/withdraw",
					struct{}{})
				return invitationOutput{answer: codeOf(got)}, known
			})
	}
}

func (i *invitationsHistory) invite(
	client int, random *rand.Rand, one invitedAddress, update *invitedAddress,
) {
	out, known := observe(&i.history, client, invitationInput{verb: "invite", email: one.email},
		func() (invitationOutput, outcome) {
			said, known := i.c.command(random, "identity:invite", "--", "--email", one.email)
			link, err := url.Parse(strings.TrimSpace(said))
			if token := ""; err == nil {
				if token = link.Query().Get("token"); token != "" {
					return invitationOutput{answer: "link", token: token}, known
				}
			}
			answer, _, _ := strings.Cut(said, ":")
			return invitationOutput{answer: answer}, known
		})
	if known == answered && out.token != "" {
		i.mu.Lock()
		update.tokens = append(update.tokens, out.token)
		i.mu.Unlock()
	}
}

func (i *invitationsHistory) list(client int, random *rand.Rand, one invitedAddress, update *invitedAddress) {
	out, _ := observeRead(&i.history, client, invitationInput{verb: "list", email: one.email},
		func() (invitationOutput, outcome) {
			got, known := i.c.ask(random, i.c.admin.cookie, "GET", "/api/v1/invitations?limit=200", nil)
			out := invitationOutput{answer: codeOf(got)}
			if known != answered || got.status != http.StatusOK {
				return out, known
			}
			for _, shown := range decoded[struct {
				Invitations []struct{ ID, Email, State string }
			}](i.c.t, got).Invitations {
				if shown.Email == one.email {
					out.id, out.state = shown.ID, shown.State
					break
				}
			}
			return out, known
		})
	if out.id != "" {
		i.mu.Lock()
		update.id = out.id
		i.mu.Unlock()
	}
}

// account looks for the account that an accepted invitation created: there is at most one.
func (i *invitationsHistory) account(client int, random *rand.Rand, one invitedAddress) {
	observeRead(&i.history, client, invitationInput{verb: "account", email: one.email},
		func() (invitationOutput, outcome) {
			got, known := i.c.ask(random, i.c.admin.cookie, "GET",
				"/api/v1/people?query="+url.QueryEscape(one.email), nil)
			out := invitationOutput{answer: codeOf(got)}
			if known == answered && got.status == http.StatusOK {
				switch found := decoded[struct{ People []struct{ Email string } }](i.c.t, got).People; len(found) {
				case 0:
					out.answer = "none"
				case 1:
				default:
					out.answer = fmt.Sprint(len(found), " accounts")
				}
			}
			return out, known
		})
}
