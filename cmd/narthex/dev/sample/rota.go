package sample

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// rotaRoles are the roles, each with its number of volunteers. The first roles need more than one volunteer
// in a service.
var rotaRoles = []struct {
	name       string
	volunteers int
	each       int // in one service
}{{"Welcome", 3, 2}, {"Reader", 3, 1}, {"Sound", 2, 1}, {"Words", 2, 1}, {"Tea", 4, 2}}

const rotaWeeks = 6

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
	list := "Name,E-mail,Roles\n"
	roles := []map[string]string{}
	for _, role := range rotaRoles {
		roles = append(roles, map[string]string{"name": role.name})
		for n := range role.volunteers {
			address := fmt.Sprintf("%s%d@example.org", strings.ToLower(role.name), n+1)
			list += fmt.Sprintf("%[1]s %[2]d,%[3]s,%[1]s\n", role.name, n+1, address)
		}
	}
	if err := c.json(ctx, http.MethodPut, "/roles", map[string]any{"rev": 1, "roles": roles}, nil); err != nil {
		return err
	}
	if err := c.send(ctx, http.MethodPost, "/volunteers/import", "text/csv", []byte(list), nil); err != nil {
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

// rotaWithServices reads the board, after adding a service on each of the coming Sundays that has none.
func rotaWithServices(ctx context.Context, c *caller) (board rotaBoard, err error) {
	if err := c.send(ctx, http.MethodGet, "/board", "", nil, &board); err != nil {
		return board, err
	}
	has := make(map[string]bool)
	for _, week := range board.Weeks {
		for _, service := range week.Services {
			has[service.Start.Format(time.DateOnly)] = true
		}
	}
	today := c.now.UTC().Truncate(24 * time.Hour)
	sunday := today.AddDate(0, 0, 7-int(today.Weekday())).Add(10 * time.Hour)
	for range rotaWeeks {
		if !has[sunday.Format(time.DateOnly)] {
			service := map[string]any{"title": "Morning service", "startsAt": timestamp(sunday)}
			if err := c.of("stage").json(ctx, http.MethodPost, "/services", service, nil); err != nil {
				return board, err
			}
		}
		sunday = sunday.AddDate(0, 0, 7)
	}
	err = c.send(ctx, http.MethodGet, "/board", "", nil, &board)
	return board, err
}

// places assigns the volunteers of each role in turn to the coming services.
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
			if service.Start.Before(now) || turn == rotaWeeks {
				continue
			}
			for _, role := range rotaRoles {
				for n := range role.each {
					label := fmt.Sprintf("%s %d", role.name, (turn*role.each+n)%role.volunteers+1)
					places = append(places, rotaPlace{ServiceID: service.ID, RoleID: roles[role.name],
						VolunteerID: volunteers[label]})
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
