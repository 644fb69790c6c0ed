package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/cmd/narthex/dev/sample"
	"github.com/narthex-platform/narthex/storage/storagetest"
)

// readers is the number of people who read a page at once.
const readers = 8

const modulesPath = "/api/v1/modules/"

// sixDuties gives the owner six duties and no other: those of the sample's readers in the next six services
// that have one.
const sixDuties = `
	WITH own AS (
		UPDATE module_rota.volunteers SET user_id = (SELECT id::text FROM core.person)
		WHERE label = 'Hannah' RETURNING id),
	six AS (
		SELECT a.id
		FROM module_rota.assignments a JOIN module_rota.known_services s USING (service_ref)
		WHERE s.starts_at > now() AND role_id = (SELECT id FROM module_rota.roles WHERE name = 'Reader')
		ORDER BY s.starts_at LIMIT 6),
	other AS (
		DELETE FROM module_rota.assignments
		WHERE volunteer_id = (SELECT id FROM own) AND id NOT IN (SELECT id FROM six))
	UPDATE module_rota.assignments SET volunteer_id = (SELECT id FROM own), status = 'yes'
	WHERE id IN (SELECT id FROM six)`

// pages are rows of what people open: the main read of each sample module, with its sample data. The
// processor time is that of the daemon, its modules and PostgreSQL.
func pages() []row {
	month := time.Now().UTC()
	month = month.AddDate(0, 0, 1-month.Day())
	window := fmt.Sprintf(modulesPath+"calendar/occurrences?from=%s&to=%s", month.Format(time.DateOnly),
		month.AddDate(0, 1, 0).Format(time.DateOnly))
	var all []row
	for _, of := range []struct {
		work, path, list string
		count            int // of the list in the response; 0: at least one
		peer             string
		goal, second     goal // of the requests, and of their processor time
	}{
		{"own duties, six, 8 at once", modulesPath + "rota/mine", "dates", 6, pocketbaseDuties,
			toLimit(atLeast, 1.10), goal{}},
		{"services, six, 8 at once", modulesPath + "stage/services", "services", 0, pocketbaseServices,
			toLimit(atLeast, 0.90), goal{}},
		{"board, six weeks, 8 at once", modulesPath + "rota/board", "weeks", 0, "", goal{}, itself(atMost, 2_100)},
		{"calendar, a month, 8 at once", window, "occurrences", 0, "", goal{}, itself(atMost, 1_575)},
		{"notices, 8 at once", modulesPath + "announcements/slides", "slides", 8, "", goal{}, goal{}},
		{"navigation, 8 at once", "/api/v1/dashboard/navigation", "groups", 0, "", goal{}, goal{}},
	} {
		r := row{work: of.work, unit: "requests/s", goal: of.goal, beside: pocketbaseItself,
			run: ofHouse(of.path, of.list, of.count), second: "processor time each (us)",
			secondGoal: of.second}
		if of.peer != "" {
			r.peers = map[string]pair{pocketbase: throughput(signedIn(of.peer, readers))}
		}
		all = append(all, r)
	}
	return all
}

// ofHouse measures a page of the system's house. Its list must have count entries.
func ofHouse(path, list string, count int) pair {
	return func(ctx context.Context, s *system, length time.Duration) (rate, cost float64, err error) {
		if s.house == nil {
			return 0, 0, errors.New("it has no sample modules")
		}
		house, err := s.house(ctx)
		if err != nil {
			return 0, 0, err
		}
		var page map[string]jsontext.Value
		var entries []jsontext.Value
		err = house.read(ctx, path, &page)
		if err == nil {
			err = json.Unmarshal(page[list], &entries)
		}
		if err != nil || len(entries) == 0 || count > 0 && len(entries) != count {
			return 0, 0, fmt.Errorf("%s has %d %s, want %d: %w", path, len(entries), list, count, err)
		}
		return throughput(func(s *system) traffic {
			sent := signedIn(path, readers)(s)
			sent.varies = true // of some pages the time is a part
			return sent
		})(ctx, house, length)
	}
}

// read decodes the response to the first signed-in person.
func (s *system) read(ctx context.Context, path string, result any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.address+path, nil)
	if err != nil {
		return err
	}
	name, value, _ := strings.Cut(s.cookies[0], ": ")
	request.Header.Set(name, value)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", path, response.Status)
	}
	return json.UnmarshalRead(response.Body, result)
}

// houseOf returns a function that starts a house once: the program with the six sample modules of these
// sources, their sample data, and an object storage for their pictures.
func (all *systems) houseOf(program string) func(context.Context) (*system, error) {
	return func(ctx context.Context) (*system, error) {
		if all.house != nil {
			return all.house, nil
		}
		house, err := all.startHouse(ctx, program)
		all.house = house // to be stopped, even if it could not be filled
		return house, err
	}
}

func (all *systems) startHouse(ctx context.Context, program string) (*system, error) {
	folder := filepath.Join(all.folder, "objects")
	if err := os.Mkdir(folder, 0o755); err != nil {
		return nil, err
	}
	objects, err := storagetest.Start(ctx, folder)
	if err != nil {
		return nil, err
	}
	all.objects = objects
	i, err := all.install(ctx, "house", program)
	if err != nil {
		return nil, err
	}
	modules, err := filepath.Abs("modules")
	if err != nil {
		return nil, err
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	origin := "http://localhost:" + port
	prepare := func(argument string) *exec.Cmd {
		command := exec.Command(i.program, argument)
		command.Env = append(i.environment(modules, port), "SERVICE_IDENTITY_BASE_URL="+origin,
			"SERVICE_MODULE_SECRET__ROTA__LINK_SIGNING_KEY="+i.secret,
			"OBJECT_STORAGE_ENDPOINT=http://"+objects.Address,
			"OBJECT_STORAGE_ACCESS_KEY="+storagetest.AccessKey, "OBJECT_STORAGE_SECRET_KEY="+storagetest.SecretKey)
		return command
	}
	if output, err := prepare("migrations:apply").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("the sample modules: %w\n%s", err, output)
	}
	conn, err := pgx.Connect(ctx, i.database)
	if err != nil {
		return nil, err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, `
		INSERT INTO core.module_configuration (module_id, key, value)
		VALUES ('rota', 'teamName', 'Church office'), ('rota', 'dashboardLink', $1)`, origin)
	if err != nil {
		return nil, err
	}
	command := prepare("api:start")
	output, err := command.StderrPipe()
	if err != nil {
		return nil, err
	}
	s, _, err := start("house", command, output, readyLine)
	if err != nil {
		return nil, err
	}
	s.address, s.origin = net.JoinHostPort("127.0.0.1", port), origin
	s.behind = &system{command: &exec.Cmd{Process: &os.Process{Pid: all.postgres.PID()}}}
	if err := sample.Fill(ctx, origin, sample.Owner{Email: ownerAddress, Password: ownerPassword}); err != nil {
		return s, err
	}
	if _, err := conn.Exec(ctx, sixDuties); err != nil {
		return s, err
	}
	s.cookies, err = signInPeople(ctx, s, readers)
	return s, err
}
