package e2e

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"

	"github.com/anishathalye/porcupine"

	"github.com/narthex-platform/narthex/services/randomtest"
)

// navigationHistory: several clients create, change and delete groups and the placements in them. The last
// write is kept, and deleting a group deletes its placements.
type navigationHistory struct {
	history
	c     *processes
	wrote [clientsPerSubject]int
}

var (
	navigationGroups  = [2]string{"sunday", "weekdays"}
	navigationModules = [2]string{"calendar", "home"}
)

type navigationGroup struct {
	exists bool
	label  string
	order  int
}

type navigationPlace struct {
	placed bool
	group  int // -1: none
	order  int
}

type navigationInput struct {
	verb  string // read, group, ungroup, place or unplace
	index int    // of the group or of the module
	group navigationGroup
	place navigationPlace
}

type navigationOutput struct {
	answer string
	navigationState
}

// navigationState is everything that is stored, if it is known.
type navigationState struct {
	known  bool
	groups [2]navigationGroup
	places [2]navigationPlace
}

func newNavigation(c *processes) *navigationHistory { return &navigationHistory{c: c} }

func (n *navigationHistory) model() porcupine.Model {
	return sequential(sameState[navigationInput], navigationStep)
}

func navigationStep(now navigationState, in navigationInput, out *navigationOutput) (bool, navigationState) {
	if !now.known && in.verb != "read" {
		return true, now
	}
	next, want := now, "204"
	switch in.verb {
	case "read":
		return out.answer == "200" && (!now.known || out.navigationState == now), out.navigationState
	case "group":
		next.groups[in.index], want = in.group, "200"
	case "ungroup":
		next.groups[in.index] = navigationGroup{}
		for m := range next.places {
			if next.places[m].placed && next.places[m].group == in.index {
				next.places[m].group = -1
			}
		}
	case "place":
		if in.place.group >= 0 && !now.groups[in.place.group].exists {
			want = "404 NAVIGATION_GROUP_NOT_FOUND"
			break
		}
		next.places[in.index], want = in.place, "200"
	case "unplace":
		next.places[in.index] = navigationPlace{}
	}
	return out == nil || out.answer == want, next
}

func (n *navigationHistory) begin(*testing.T) { n.read(0) }

const navigationPath = "/api/v1/dashboard/navigation"

func (n *navigationHistory) read(client int) { n.readBy(client, randomtest.New(0, 0)) }

func (n *navigationHistory) readBy(client int, random *rand.Rand) {
	observeRead(&n.history, client, navigationInput{verb: "read"}, func() (navigationOutput, outcome) {
		got, known := n.c.ask(random, n.c.admin.cookie, "GET", navigationPath, nil)
		out := navigationOutput{answer: codeOf(got)}
		if known == answered && got.status == http.StatusOK {
			out.navigationState = n.shown(got)
		}
		return out, known
	})
}

type shownModules []struct {
	ModuleID string
	Order    *int
}

func (n *navigationHistory) shown(got httpResponse) navigationState {
	view := decoded[struct {
		Groups []struct {
			ID, Label string
			Order     int
			Modules   shownModules
		}
		Ungrouped shownModules
	}](n.c.t, got)
	s := navigationState{known: true}
	take := func(modules shownModules, group int) {
		for _, m := range modules {
			index := slices.Index(navigationModules[:], m.ModuleID)
			if index >= 0 && m.Order != nil {
				s.places[index] = navigationPlace{true, group, *m.Order}
			}
		}
	}
	take(view.Ungrouped, -1)
	for _, g := range view.Groups {
		index := slices.Index(navigationGroups[:], g.ID)
		if index < 0 {
			n.c.t.Errorf("the navigation has the group %s, which nobody made", g.ID)
			continue
		}
		s.groups[index] = navigationGroup{true, g.Label, g.Order}
		take(g.Modules, index)
	}
	return s
}

func (n *navigationHistory) act(client int, random *rand.Rand) {
	n.wrote[client]++
	in := navigationInput{index: random.IntN(2)}
	method, path := "PUT", navigationPath+"/groups/"+navigationGroups[in.index]
	if random.IntN(2) == 0 {
		path = navigationPath + "/placements/" + navigationModules[in.index]
	}
	placements := path[len(navigationPath)+1] == 'p'
	var body any
	switch deletes := random.IntN(4) == 0; {
	case random.IntN(3) == 0:
		n.readBy(client, random)
		return
	case deletes && placements:
		in.verb, method = "unplace", "DELETE"
	case deletes:
		in.verb, method = "ungroup", "DELETE"
	case placements:
		in.verb, in.place = "place", navigationPlace{true, random.IntN(3) - 1, random.IntN(1000)}
		var group any
		if in.place.group >= 0 {
			group = navigationGroups[in.place.group]
		}
		body = map[string]any{"groupId": group, "order": in.place.order}
	default:
		in.verb = "group"
		in.group = navigationGroup{true, fmt.Sprintf("%d of %d", n.wrote[client], client), random.IntN(1000)}
		body = map[string]any{"label": in.group.label, "order": in.group.order}
	}
	observe(&n.history, client, in, func() (navigationOutput, outcome) {
		got, known := n.c.ask(random, n.c.admin.cookie, method, path, body)
		return navigationOutput{answer: codeOf(got)}, known
	})
}
