package e2e

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"github.com/anishathalye/porcupine"

	"github.com/narthex-platform/narthex/services/randomtest"
)

// ownershipHistory: who owns the platform and who is deactivated. Operators transfer the ownership while
// administrators deactivate the same people. There is always exactly one owner, who is not deactivated.
type ownershipHistory struct {
	history
	c   *processes
	ids [3]string
}

type ownershipInput struct {
	verb string // read, transfer, deactivate or reactivate
	who  int
}

type ownershipOutput struct {
	answer string
	ownershipState
}

type ownershipState struct {
	known       bool
	owners      [3]bool
	deactivated [3]bool
}

func newOwnership(c *processes) *ownershipHistory {
	o := &ownershipHistory{c: c}
	o.ids[0] = c.visitorFrom(c.t, c.nextAddress()).signInAs(c.t, ownerAddress).userID(c.t)
	for n := 1; n < len(o.ids); n++ {
		o.ids[n] = c.newMember(c.t, fmt.Sprintf("heir%d@example.org", n)).userID(c.t)
	}
	return o
}

func (o *ownershipHistory) model() porcupine.Model {
	return sequential(sameState[ownershipInput], ownershipStep)
}

func ownershipStep(now ownershipState, in ownershipInput, out *ownershipOutput) (bool, ownershipState) {
	if !now.known && in.verb != "read" {
		return true, now
	}
	next, want := now, "200"
	switch in.verb {
	case "read":
		return out.answer == "200" && one(out.owners) && (!now.known || out.ownershipState == now),
			out.ownershipState
	case "transfer":
		switch {
		case now.deactivated[in.who]:
			want = "IDENTITY_DEACTIVATED"
		case now.owners[in.who]:
			want = "Nothing to do"
		default:
			want, next.owners = "Transferred", [3]bool{}
			next.owners[in.who] = true
		}
	case "deactivate":
		if now.owners[in.who] {
			want = "409 PERSON_PROTECTED"
			break
		}
		next.deactivated[in.who] = true
	case "reactivate":
		if now.owners[in.who] {
			want = "409 PERSON_PROTECTED"
		}
		next.deactivated[in.who] = false
	}
	return out == nil || out.answer == want, next
}

func one(owners [3]bool) bool {
	count := 0
	for _, owns := range owners {
		if owns {
			count++
		}
	}
	return count == 1
}

func (o *ownershipHistory) begin(*testing.T) { o.read(0) }

func (o *ownershipHistory) read(client int) { o.readBy(client, randomtest.New(0, 0)) }

func (o *ownershipHistory) readBy(client int, random *rand.Rand) {
	observeRead(&o.history, client, ownershipInput{verb: "read"}, func() (ownershipOutput, outcome) {
		got, known := o.c.ask(random, o.c.admin.cookie, "GET",
			"/api/v1/people?userId="+strings.Join(o.ids[:], "&userId="), nil)
		out := ownershipOutput{answer: codeOf(got)}
		if known != answered || got.status != http.StatusOK {
			return out, known
		}
		out.known = true
		for _, p := range decoded[struct {
			People []struct {
				UserID        string
				Owner         bool
				DeactivatedAt *string
			}
		}](o.c.t, got).People {
			for n, id := range o.ids {
				if p.UserID == id {
					out.owners[n], out.deactivated[n] = p.Owner, p.DeactivatedAt != nil
				}
			}
		}
		return out, known
	})
}

func (o *ownershipHistory) act(client int, random *rand.Rand) {
	in := ownershipInput{who: random.IntN(len(o.ids))}
	switch n := random.IntN(10); {
	case client == 0: // a command needs a process, so only one client runs commands
		in.verb = "transfer"
		observe(&o.history, client, in, func() (ownershipOutput, outcome) {
			said, known := o.c.command(random, "authorization:transfer-owner", "--", "--to-user-id", o.ids[in.who])
			answer, _, _ := strings.Cut(said, ":")
			return ownershipOutput{answer: answer}, known
		})
		return
	case n < 4:
		o.readBy(client, random)
		return
	case n < 7:
		in.verb = "deactivate"
	default:
		in.verb = "reactivate"
	}
	observe(&o.history, client, in, func() (ownershipOutput, outcome) {
		got, known := o.c.ask(random, o.c.admin.cookie, "POST", "/api/v1/people/"+o.ids[in.who]+"/"+in.verb,
			struct{}{})
		return ownershipOutput{answer: codeOf(got)}, known
	})
}
