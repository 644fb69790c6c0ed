package e2e

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/go-json-experiment/json"

	"github.com/narthex-platform/narthex/services/porttest"
	"github.com/narthex-platform/narthex/services/randomtest"
)

// TestHistories: clients of three processes that share a database and a backplane send random requests
// concurrently, while processes are killed and restarted. It must be possible to put all requests in an order
// in which a single process, handling one request at a time, would have sent the same responses. For each
// subject a small model defines the allowed responses, and a checker searches for such an order. A request
// that was cut off by a kill may or may not have had its effect. The variable HISTORIES sets another
// duration, such as 5m.
func TestHistories(t *testing.T) {
	if testing.Short() {
		t.Skip("it kills processes under load for ten seconds; TestHistoriesThatMustNotBe has the models")
	}
	duration := 10 * time.Second
	if text := os.Getenv("HISTORIES"); text != "" {
		var err error
		if duration, err = time.ParseDuration(text); err != nil {
			t.Fatalf("HISTORIES: %v", err)
		}
	}
	seed := randomtest.Seed(t)
	c := startProcesses(t)
	subjects := []subject{newGrants(c), newInvitations(c), newPairings(c), newOwnership(c), newConfiguration(c),
		newNavigation(c)}
	chaos := randomtest.New(seed, 0)
	kills, operations := 0, 0
	end := time.Now().Add(duration)
	// Requests without a response stay undecided until the end of their history, and each of them doubles the
	// checker's work. Therefore a long run consists of many histories.
	for round := uint64(1); round == 1 || time.Now().Before(end) && !t.Failed(); round++ {
		for _, s := range subjects {
			*s.recorded() = history{}
			s.begin(t)
		}
		kills += c.runRound(t, subjects, chaos, seed+round, min(10*time.Second, duration))
		for _, s := range subjects {
			s.read(0)
			operations += s.recorded().check(t, fmt.Sprintf("%T of round %d", s, round), s.model())
		}
	}
	if kills == 0 {
		t.Error("no process was killed")
	}
	t.Logf("%d operations, %d kills; answers: %s", operations, kills, c.summary())
}

// subject is one part of the platform, with a model of its own.
type subject interface {
	recorded() *history
	model() porcupine.Model
	// begin prepares a history. No other client uses the platform meanwhile.
	begin(t *testing.T)
	// read observes the state.
	read(client int)
	// act performs one random operation. Each client calls it in a goroutine of its own.
	act(client int, random *rand.Rand)
}

const clientsPerSubject = 4

// runRound lets the clients of all subjects act while it kills and restarts processes. It returns when all
// clients have ended, all processes are ready, and the database has finished all work for the killed
// processes.
func (c *processes) runRound(
	t *testing.T, subjects []subject, chaos *rand.Rand, seed uint64, duration time.Duration,
) (kills int) {
	ctx, stop := context.WithTimeout(t.Context(), duration)
	defer stop()
	var clients sync.WaitGroup
	for n, s := range subjects {
		for client := range clientsPerSubject {
			random := randomtest.New(seed, uint64(1+n*clientsPerSubject+client))
			clients.Go(func() {
				for ctx.Err() == nil {
					s.act(client, random)
					time.Sleep(time.Duration(random.IntN(30)) * time.Millisecond) // the rate of a client
				}
			})
		}
	}
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-time.After(time.Duration(300+chaos.IntN(1200)) * time.Millisecond): // the rate of the kills
			n := chaos.IntN(len(c.runs))
			if !strings.Contains(c.runs[n].stderr.String(), `"msg":"ready"`) {
				continue
			}
			c.runs[n].signal(t, syscall.SIGKILL)
			<-c.runs[n].ended
			kills++
			c.runs[n] = startCommand(t, c.installations[n].environment, "", "api:start")
		}
	}
	clients.Wait()
	for _, run := range c.runs {
		run.awaitOutput(t, &run.stderr, `"msg":"ready"`)
	}
	eventually(t, "no statement of a killed process runs any more", func() bool {
		var open int
		err := c.db.Pool(t).QueryRow(t.Context(), `
			SELECT count(*)
			FROM pg_stat_activity
			WHERE datname = current_database() AND state <> 'idle' AND pid <> pg_backend_pid()`).Scan(&open)
		return err == nil && open == 0
	})
	return kills
}

// processes are three processes of one installation.
type processes struct {
	*installation
	t             *testing.T
	installations []*installation
	runs          []*invocation // only for the goroutine of the test
	transport     *http.Transport
	admin         *person // holds every permission by grants, whoever owns the platform

	mu       sync.Mutex
	from     int
	answers  map[string]int
	silences map[outcome]int
}

func startProcesses(t *testing.T) *processes {
	t.Helper()
	one, two := installTwo(t, "calendar", "home", "configured")
	one.useProxyAddresses()
	maps.Copy(two.environment, one.environment)
	two.environment["SERVICE_API_PORT"] = strings.TrimPrefix(two.address, "http://localhost:")
	two.environment["SERVICE_IDENTITY_TRUSTED_ORIGINS"] = two.address
	port := strconv.Itoa(porttest.Free(t))
	three := &installation{db: one.db, address: "http://localhost:" + port,
		environment: maps.Clone(one.environment)}
	three.environment["SERVICE_API_PORT"] = port
	three.environment["SERVICE_IDENTITY_TRUSTED_ORIGINS"] = three.address
	c := &processes{installation: one, t: t, installations: []*installation{one, two, three},
		// Without idle connections net/http repeats no request, so an error is about a single attempt.
		transport: &http.Transport{DisableKeepAlives: true},
		answers:   make(map[string]int), silences: make(map[outcome]int)}
	for _, each := range c.installations {
		c.runs = append(c.runs, each.start(t))
	}
	owner := one.visitorFrom(t, 1).signInAs(t, ownerAddress)
	c.admin = c.newMember(t, "admin@example.org")
	id := c.admin.userID(t)
	var registry struct{ Permissions []struct{ ID string } }
	got := owner.do("GET", "/api/v1/permissions", nil)
	if err := json.Unmarshal([]byte(got.body), &registry, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	for _, p := range registry.Permissions {
		owner.create(t, http.StatusCreated, "/api/v1/grants", map[string]string{"userId": id, "permissionId": p.ID})
	}
	return c
}

// newMember returns a person with a session and without permissions.
func (c *processes) newMember(t *testing.T, email string) *person {
	t.Helper()
	c.db.Exec(t, `
		INSERT INTO core.person (email, name, email_verified, password_hash)
		SELECT $1, 'Member', true, password_hash FROM core.person WHERE email = $2`, email, ownerAddress)
	return c.visitorFrom(t, c.nextAddress()).signInAs(t, email)
}

// nextAddress returns the number of a client address that no other request uses, so that no rate limit
// applies.
func (c *processes) nextAddress() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.from++
	return 1 + c.from
}

// outcome is what a client knows about the effect of its request.
type outcome int

const (
	answered outcome = iota
	noEffect         // nothing received it, or a limit refused it
	unknown          // it may have had its effect, or may still have it
)

// ask sends a request to a random process, from a new client address. A request to a process that does not
// run has no effect.
func (c *processes) ask(
	random *rand.Rand, cookie, method, path string, value any,
) (got httpResponse, known outcome) {
	target := c.installations[random.IntN(len(c.installations))]
	n := c.nextAddress()
	from := fmt.Sprintf("10.%d.%d.%d", n>>16&0xff, n>>8&0xff, n&0xff)
	p := person{t: c.t, address: target.address, cookie: cookie, client: &http.Client{
		Transport: headerTransport{documented(c.t, c.transport), "X-Forwarded-For", from}, Timeout: time.Minute}}
	got, err := p.doContext(context.Background(), method, path, value)
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		known = noEffect
	case err != nil:
		known = unknown
	case got.status == http.StatusTooManyRequests:
		known = noEffect
	case got.status == http.StatusServiceUnavailable:
		known = unknown
	case got.status >= http.StatusInternalServerError:
		c.t.Errorf("%s %s: status %d; body %s", method, path, got.status, got.body)
		known = unknown
	}
	c.count(known, method, got)
	return got, known
}

func (c *processes) count(known outcome, method string, got httpResponse) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known != answered {
		c.silences[known]++
		return
	}
	c.answers[fmt.Sprint(method, " ", got.status)]++
}

func (c *processes) summary() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return fmt.Sprintf("%v, without effect %d, unknown %d", c.answers, c.silences[noEffect], c.silences[unknown])
}

// command runs a command of the operator, and sometimes kills it at a random moment. The outcome is unknown
// if it was killed or could not reach the database.
func (c *processes) command(random *rand.Rand, args ...string) (said string, known outcome) {
	command := newCommand(c.t, c.environment, args...)
	var output transcript
	command.Stdout, command.Stderr = &output, &output
	if err := command.Start(); err != nil {
		c.t.Error(err)
		return "", noEffect
	}
	killer := time.AfterFunc(time.Minute, func() { _ = command.Process.Kill() })
	if random.IntN(4) == 0 {
		killer.Reset(time.Duration(random.IntN(200)) * time.Millisecond)
	}
	err := command.Wait()
	killer.Stop()
	said = output.String()
	exit := (*exec.ExitError)(nil)
	if errors.As(err, &exit) && exit.ExitCode() < 0 || strings.HasPrefix(said, "STORE_UNAVAILABLE") {
		known = unknown
	}
	c.count(known, args[0], httpResponse{status: command.ProcessState.ExitCode()})
	return said, known
}

// history is what clients did and observed. Safe for concurrent use.
type history struct {
	steps      atomic.Int64 // numbers the beginnings and ends of operations, in their order
	mu         sync.Mutex
	operations []porcupine.Operation
}

func (h *history) recorded() *history { return h }

func (h *history) add(o porcupine.Operation) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.operations = append(h.operations, o)
}

// observe records one operation on a state. ask returns the response, which is recorded unless it is
// noEffect. If the outcome is unknown, the recorded output is nil, and the effect may happen at any later
// time.
func observe[I, O any](h *history, client int, in I, ask func() (O, outcome)) (out O, known outcome) {
	call := h.steps.Add(1)
	out, known = ask()
	operation := porcupine.Operation{ClientId: client, Input: in, Output: &out, Call: call,
		Return: h.steps.Add(1)}
	switch known {
	case noEffect:
		return out, known
	case unknown:
		operation.Output, operation.Return = (*O)(nil), math.MaxInt64
	}
	h.add(operation)
	return out, known
}

// observeRead is observe for an operation without effects: without a response it records nothing.
func observeRead[I, O any](h *history, client int, in I, ask func() (O, outcome)) (out O, known outcome) {
	return observe(h, client, in, func() (O, outcome) {
		out, known := ask()
		if known == unknown {
			known = noEffect
		}
		return out, known
	})
}

// check searches for a valid order and returns the number of operations. If there is none, it writes a page
// that shows how far the order could be found.
func (h *history) check(t *testing.T, what string, model porcupine.Model) int {
	t.Helper()
	result, info := porcupine.CheckOperationsVerbose(model, h.operations, time.Minute)
	switch result {
	case porcupine.Illegal:
		page := filepath.Join(os.TempDir(), strings.ReplaceAll(strings.Trim(what, "*"), " ", "-")+".html")
		err := porcupine.VisualizePath(model, info, page)
		t.Errorf("%s: no order of its %d operations explains the answers; see %s; error %v", what,
			len(h.operations), page, err)
	case porcupine.Unknown:
		t.Errorf("%s: the checker could not decide about %d operations", what, len(h.operations))
	}
	return len(h.operations)
}

// sequential makes a porcupine model from a pure function, which returns whether the output out for in is
// allowed in a state S, and the next state. There is one state for each key. The initial state is the zero S.
// If the real initial state may differ, the zero S means that the state is unknown, and everything is allowed
// until it is read.
func sequential[S comparable, I, O any](
	key func(I) string, step func(now S, in I, out *O) (allowed bool, next S),
) porcupine.Model {
	return porcupine.Model{
		Init: func() any {
			var nothing S
			return nothing
		},
		Step: func(now, in, out any) (bool, any) { return step(now.(S), in.(I), out.(*O)) },
		Partition: func(all []porcupine.Operation) [][]porcupine.Operation {
			parts := make(map[string][]porcupine.Operation)
			for _, o := range all {
				parts[key(o.Input.(I))] = append(parts[key(o.Input.(I))], o)
			}
			return slices.Collect(maps.Values(parts))
		},
		DescribeOperation: func(in, out any) string {
			if answer := out.(*O); answer != nil {
				return fmt.Sprintf("%+v: %+v", in, *answer)
			}
			return fmt.Sprintf("%+v: unknown", in)
		},
		DescribeState: func(now any) string { return fmt.Sprintf("%+v", now) },
	}
}

func sameState[I any](I) string { return "" }

// decoded decodes a response body. It fails the test if the body has another shape.
func decoded[T any](t *testing.T, got httpResponse) (value T) {
	if err := json.Unmarshal([]byte(got.body), &value, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Errorf("the answer %d %.300s: %v", got.status, got.body, err)
	}
	return value
}

// codeOf returns the status of a response, with its code if it has one.
func codeOf(got httpResponse) string {
	var told struct {
		Code string `json:"code"`
	}
	_ = json.Unmarshal([]byte(got.body), &told) // not every response has a code
	return strings.TrimSpace(fmt.Sprint(got.status, " ", told.Code))
}

// TestHistoriesThatMustNotBe: every model refuses a history for which there is no valid order, and accepts a
// history that differs in one response.
func TestHistoriesThatMustNotBe(t *testing.T) {
	read := func(rev int64, title string) step {
		return step{configurationInput{verb: "read"}, &configurationOutput{"200", document{rev, title, 4}}}
	}
	write := func(over int64, title, answer string) step {
		return step{configurationInput{"replace", true, document{over, title, 4}},
			&configurationOutput{answer: answer}}
	}
	grant := func(verb, answer, id string) step {
		return step{grantsInput{verb, "a"}, &grantsOutput{answer, id}}
	}
	pair := func(verb, answer string) step {
		return step{pairingInput{verb: verb, code: "1"}, &pairingOutput{answer: answer}}
	}
	join := func(verb, answer string) step {
		return step{invitationInput{verb: verb, email: "a", token: "t", id: "i"},
			&invitationOutput{answer: answer, token: "t"}}
	}
	own := func(verb string, who int, answer string) step {
		return step{ownershipInput{verb, who}, &ownershipOutput{answer: answer}}
	}
	owned := step{ownershipInput{verb: "read"},
		&ownershipOutput{"200", ownershipState{known: true, owners: [3]bool{true}}}}
	navigate := func(verb string, place navigationPlace, answer string) step {
		return step{navigationInput{verb: verb, group: navigationGroup{exists: true}, place: place},
			&navigationOutput{answer: answer}}
	}
	for name, c := range map[string]struct {
		subject          subject
		before           []step
		explained, wrong step
	}{
		"a lost update": {&configurationHistory{}, []step{read(3, ""), write(3, "a", "200")},
			write(3, "b", "409 CONFLICT"), write(3, "b", "200")},
		"a stale read": {&configurationHistory{}, []step{read(3, ""), write(3, "a", "200")},
			read(4, "a"), read(3, "")},
		"a permission given twice": {&grantsHistory{}, []step{grant("list", "200", ""), grant("issue", "201", "x")},
			grant("issue", "409 AUTHORIZATION_GRANT_ALREADY_EXISTS", ""), grant("issue", "201", "y")},
		"a permission used after its end": {&grantsHistory{},
			[]step{grant("list", "200", "x"), grant("revoke", "200", "x")},
			grant("use", "403 PERMISSION_DENIED", ""), grant("use", "200", "")},
		"a screen refused without a revocation": {&pairingsHistory{},
			[]step{pair("approve", "200"), pair("claim", "200")},
			pair("use", "200"), pair("use", "403 PERMISSION_DENIED")},
		"a screen used after its revocation": {&pairingsHistory{},
			[]step{pair("approve", "200"), pair("claim", "200"), pair("use", "200"), pair("revoke", "200")},
			pair("use", "403 PERMISSION_DENIED"), pair("use", "200")},
		"a code decided twice": {&pairingsHistory{}, []step{pair("approve", "200")},
			pair("approve", "409 PAIRING_ALREADY_DECIDED"), pair("approve", "200")},
		"a code collected after its first use": {&pairingsHistory{},
			[]step{pair("approve", "200"), pair("claim", "200"), pair("use", "200")},
			pair("claim", "404 PAIRING_NOT_FOUND"), pair("claim", "200")},
		"a link used twice": {&invitationsHistory{}, []step{join("invite", "link"), join("accept", "200")},
			join("accept", "404 INVITATION_NOT_FOUND"), join("accept", "200")},
		"an owner deactivated": {&ownershipHistory{}, []step{owned, own("transfer", 1, "Transferred")},
			own("deactivate", 1, "409 PERSON_PROTECTED"), own("deactivate", 1, "200")},
		"a place in no group": {&navigationHistory{}, []step{{navigationInput{verb: "read"},
			&navigationOutput{"200", navigationState{known: true}}}, navigate("group", navigationPlace{}, "200"),
			navigate("ungroup", navigationPlace{}, "204")},
			navigate("place", navigationPlace{placed: true}, "404 NAVIGATION_GROUP_NOT_FOUND"),
			navigate("place", navigationPlace{placed: true}, "200")},
	} {
		if !porcupine.CheckOperations(c.subject.model(), inOrder(append(slices.Clone(c.before), c.explained))) {
			t.Errorf("%s: the history that has an order is refused", name)
		}
		if porcupine.CheckOperations(c.subject.model(), inOrder(append(slices.Clone(c.before), c.wrong))) {
			t.Errorf("%s: the history is taken, want it refused", name)
		}
	}
}

type step struct{ in, out any }

// inOrder returns a history in which no steps overlap.
func inOrder(steps []step) (operations []porcupine.Operation) {
	for n, s := range steps {
		operations = append(operations, porcupine.Operation{Input: s.in, Output: s.out, Call: int64(2 * n),
			Return: int64(2*n + 1)})
	}
	return operations
}
