package sample

import (
	"context"
	"net/http"
	"strings"
	"time"
)

// rotaRoles are the roles, each with who can do it. The first role and the last need two people in a service.
var rotaRoles = []struct {
	name string
	can  []string
	each int // in one service
}{
	{"Welcome", []string{"Martha", "Jonas", "Ruth", "Samuel"}, 2},
	{"Reader", []string{"Hannah", "Peter", "Miriam", "Martha"}, 1},
	{"Sound", []string{"David", "Lydia", "Jonas"}, 1},
	{"Words", []string{"Felix", "Clara"}, 1},
	{"Tea", []string{"Edith", "Thomas", "Anna B.", "Anna K.", "Paul", "Judith"}, 2},
}

// rotaBoard is the part of the board that is read.
type rotaBoard struct {
	Roles      []rotaNamed `json:"roles"`
	Volunteers []rotaNamed `json:"volunteers"`
	Weeks      []struct {
		Services []struct {
			ID    string    `json:"id"`
			Start time.Time `json:"start"`
		} `json:"services"`
	} `json:"weeks"`
}

type rotaNamed struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Label string `json:"label"`
}

type rotaPlace struct {
	ID          string `json:"id,omitempty"`
	ServiceID   string `json:"serviceId"`
	RoleID      string `json:"roleId"`
	VolunteerID string `json:"volunteerId"`
}

type rotaAnswer struct {
	ID     string `json:"id"`
	Status string `json:"status"`
	Rev    int64  `json:"rev"`
}

// rota plans six weeks. Two volunteers have declined, three have not responded yet, all others have accepted.
func rota(ctx context.Context, c *caller) error {
	roles := []map[string]string{}
	var names []string
	roleNames := make(map[string][]string)
	for _, role := range rotaRoles {
		roles = append(roles, map[string]string{"name": role.name})
		for _, name := range role.can {
			if roleNames[name] == nil {
				names = append(names, name)
			}
			roleNames[name] = append(roleNames[name], role.name)
		}
	}
	if err := c.json(ctx, http.MethodPut, "/roles", map[string]any{"rev": 1, "roles": roles}, nil); err != nil {
		return err
	}
	if err := addVolunteers(ctx, c, names, roleNames); err != nil {
		return err
	}
	board, err := rotaWithServices(ctx, c)
	if err != nil {
		return err
	}
	var added struct {
		Assignments []rotaPlace `json:"assignments"`
	}
	places := board.places(c.now)
	if err := c.json(ctx, http.MethodPut, "/assignments", map[string]any{"add": places}, &added); err != nil {
		return err
	}
	answers := map[string]any{"set": rotaAnswers(places, added.Assignments)}
	return c.json(ctx, http.MethodPut, "/assignments", answers, nil)
}

// addVolunteers adds them one by one: an import could be undone, and would be offered for that.
func addVolunteers(ctx context.Context, c *caller, names []string, roleNames map[string][]string) error {
	var board rotaBoard
	if err := c.send(ctx, http.MethodGet, "/board", "", nil, &board); err != nil {
		return err
	}
	ids := make(map[string]string)
	for _, role := range board.Roles {
		ids[role.Name] = role.ID
	}
	for _, name := range names {
		address := strings.NewReplacer(" ", "", ".", "").Replace(strings.ToLower(name)) + "@example.org"
		can := []string{}
		for _, role := range roleNames[name] {
			can = append(can, ids[role])
		}
		volunteer := map[string]any{"label": name, "email": address, "language": "", "digest": false,
			"roleIds": can}
		if err := c.json(ctx, http.MethodPost, "/volunteers", volunteer, nil); err != nil {
			return err
		}
	}
	return nil
}

// rotaWithServices reads the board, after adding services if the module that plans them has none.
func rotaWithServices(ctx context.Context, c *caller) (board rotaBoard, err error) {
	if err := c.send(ctx, http.MethodGet, "/board", "", nil, &board); err != nil || len(board.Weeks) > 0 {
		return board, err
	}
	for _, g := range gatherings(c.now) {
		service := map[string]any{"title": g.title, "startsAt": timestamp(g.at)}
		if err := c.of("stage").json(ctx, http.MethodPost, "/services", service, nil); err != nil {
			return board, err
		}
	}
	err = c.send(ctx, http.MethodGet, "/board", "", nil, &board)
	return board, err
}

// places assigns the volunteers of each role in turn to the services of the coming weeks.
func (b *rotaBoard) places(now time.Time) (places []rotaPlace) {
	roles, volunteers := make(map[string]string), make(map[string]string)
	for _, role := range b.Roles {
		roles[role.Name] = role.ID
	}
	for _, volunteer := range b.Volunteers {
		volunteers[volunteer.Label] = volunteer.ID
	}
	turn := 0
	for _, week := range b.Weeks {
		for _, service := range week.Services {
			if service.Start.Before(now) || service.Start.After(now.AddDate(0, 0, 7*sundays)) {
				continue
			}
			busy := make(map[string]bool)
			for _, role := range rotaRoles {
				for n := range role.each {
					name := role.can[(turn*role.each+n)%len(role.can)]
					if busy[name] {
						continue // has another role in this service
					}
					busy[name] = true
					places = append(places, rotaPlace{ServiceID: service.ID, RoleID: roles[role.name],
						VolunteerID: volunteers[name]})
				}
			}
			turn++
		}
	}
	return places
}

// rotaAnswers returns the volunteers' responses in the order of the services: in the first ones all but two
// have accepted.
func rotaAnswers(places, added []rotaPlace) (answers []rotaAnswer) {
	ids := make(map[rotaPlace]string)
	for _, one := range added {
		ids[rotaPlace{ServiceID: one.ServiceID, RoleID: one.RoleID, VolunteerID: one.VolunteerID}] = one.ID
	}
	said := map[int]string{2: "no", 5: "open", 10: "open", 13: "no", 15: "open"}
	for n, place := range places {
		status := said[n]
		if status == "" {
			status = "yes"
		}
		answers = append(answers, rotaAnswer{ids[place], status, 1})
	}
	return answers
}
