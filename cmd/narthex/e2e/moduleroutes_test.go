package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/modulehost/gateway"
	"github.com/narthex-platform/narthex/storage/storagetest"
)

// moduleCall is one request to a route of a sample module. In the path and in the body "{name}" stands for a
// value that an earlier response had.
type moduleCall struct {
	route  string // as the module registers it
	path   string // if it is not the route's own
	send   string
	status int
	// keep has "name=place" for values of the response that later calls need. "*" is the whole response.
	keep string
}

// The dates of a series as Calendar's routes name them, and one of them.
const (
	anyDate = "/events/{id}/dates/{date}"
	aDate   = "/events/{event}/dates/{year}-01-14T19:00"
)

// moduleCalls are made in this order, as the owner. Every route of the module is among them.
var moduleCalls = []struct {
	module string
	calls  []moduleCall
}{
	{"announcements", []moduleCall{
		{route: "POST /images", send: "{picture}", status: 201, keep: "image=id"},
		{route: "GET /images/{id}", path: "/images/{image}", status: 200},
		{route: "POST /slides", send: `{"title":"Tea","body":"In the hall","imageId":"{image}","enabled":true}`,
			status: 201, keep: "slide=id rev=rev"},
		{route: "POST /slides", send: `{"title":"Choir","body":"","enabled":true}`, status: 201, keep: "other=id"},
		{route: "GET /slides", status: 200, keep: "order=rev"},
		{route: "GET /latest", status: 200},
		{route: "GET /notices.atom", status: 200},
		{route: "PUT /slides/{id}", path: "/slides/{slide}",
			send: `{"title":"Coffee","body":"","imageId":"{image}","enabled":true,"rev":{rev}}`, status: 200,
			keep: "rev=rev"},
		{route: "PUT /slides/{id}", path: "/slides/{slide}", status: 409,
			send: `{"title":"Tea","body":"","rev":1}`},
		{route: "GET /slides/{id}/writer", path: "/slides/{slide}/writer", status: 200},
		{route: "PUT /slides/{id}/place", path: "/slides/{slide}/place", send: `{"after":"{other}","rev":{order}}`,
			status: 200},
		{route: "POST /slides/{id}/show", path: "/slides/{slide}/show", send: `{}`, status: 200},
		{route: "DELETE /slides/{id}/show", path: "/slides/{slide}/show", status: 204},
		{route: "GET /images/{id}/url", path: "/images/{image}/url", status: 200},
		{route: "GET /board/images/{id}/url", path: "/board/images/{image}/url", status: 200},
		{route: "GET /export", status: 200, keep: "all=*"},
		{route: "DELETE /slides/{id}", path: "/slides/{other}", status: 204},
		{route: "POST /import", send: `{all}`, status: 200},
		{route: "GET /imports", status: 200, keep: "import=imports.0.id"},
		{route: "DELETE /imports/{id}", path: "/imports/{import}", status: 200},
	}},
	{"stage", []moduleCall{
		{route: "POST /songs", send: `{"title":"Amazing Grace","sections":[{"label":"1","text":"How sweet"}]}`,
			status: 201, keep: "song=id songrev=rev"},
		{route: "GET /songs", status: 200},
		{route: "GET /songs/{id}", path: "/songs/{song}", status: 200},
		{route: "PUT /songs/{id}", path: "/songs/{song}", status: 200,
			send: `{"title":"Amazing Grace","sections":[{"label":"1","text":"The sound"}],"rev":{songrev}}`},
		{route: "POST /songs/import", status: 200,
			send: "Holy, Holy\n(Heber, 1826)\n\n[Verse 1]\nHoly, holy, holy\n"},
		{route: "POST /services", send: `{"title":"Service","startsAt":"{soon}"}`, status: 201,
			keep: "service=id servicerev=rev"},
		{route: "POST /services", send: `{"title":"Vespers","startsAt":"2033-01-02T18:00:00.000Z"}`, status: 201,
			keep: "vespers=id"},
		{route: "GET /services", status: 200},
		{route: "POST /services/{id}/items", path: "/services/{service}/items", status: 201,
			keep: "item=id itemrev=rev", send: `{"kind":"song","songId":"{song}","seconds":60}`},
		{route: "POST /services/{id}/items", path: "/services/{service}/items", status: 201, keep: "talk=id",
			send: `{"kind":"talk","title":"Prayer","seconds":60}`},
		{route: "PUT /items/{id}", path: "/items/{item}", status: 200, keep: "itemrev=rev",
			send: `{"kind":"song","songId":"{song}","seconds":90,"rev":{itemrev}}`},
		{route: "GET /services/{id}", path: "/services/{service}", status: 200, keep: "servicerev=rev"},
		{route: "GET /services/{id}/sheet", path: "/services/{service}/sheet", status: 200},
		{route: "PUT /items/{id}/place", path: "/items/{item}/place", send: `{"after":"{talk}","rev":{servicerev}}`,
			status: 200},
		{route: "POST /services/{id}/copy", path: "/services/{vespers}/copy", status: 201,
			send: `{"from":"{service}"}`},
		{route: "GET /services/{id}", path: "/services/{service}", status: 200, keep: "servicerev=rev"},
		{route: "PUT /services/{id}", path: "/services/{service}", status: 200,
			send: `{"title":"Morning","startsAt":"{soon}","rev":{servicerev}}`},
		{route: "GET /live", status: 200, keep: "live=live.rev"},
		{route: "POST /live/{id}/take", path: "/live/{service}/take", send: `{"rev":{live}}`, status: 200,
			keep: "live=live.rev"},
		{route: "POST /live/{id}/go", path: "/live/{service}/go", status: 200,
			send: `{"opId":"7d0f5b1e-5a55-4c3e-9a6a-1c9a3f0f6f10","rev":{live},"action":"next"}`},
		{route: "GET /export", status: 200, keep: "all=*"},
		{route: "GET /export/songs", path: "/export/songs?format=openlyrics", status: 200},
		{route: "DELETE /items/{id}", path: "/items/{talk}", status: 204},
		{route: "DELETE /services/{id}", path: "/services/{vespers}", status: 204},
		{route: "POST /services/{id}/restore", path: "/services/{vespers}/restore", send: `{}`, status: 204},
		{route: "POST /import", send: `{all}`, status: 200},
		{route: "GET /imports", status: 200, keep: "import=imports.0.id"},
		{route: "DELETE /imports/{id}", path: "/imports/{import}", status: 200},
		{route: "DELETE /songs/{id}", path: "/songs/{song}", status: 409},
	}},
	{"calendar", []moduleCall{
		{route: "POST /rooms", send: `{"name":"Hall"}`, status: 201, keep: "room=id roomrev=rev"},
		{route: "PUT /rooms/{id}", path: "/rooms/{room}", status: 200,
			send: `{"name":"Great hall","rev":{roomrev}}`, keep: "roomrev=rev"},
		{route: "GET /rooms", status: 200},
		{route: "POST /events", status: 201, keep: "event=id rev=rev",
			send: `{"title":"Choir","start":"{year}-01-07T19:00","end":"{year}-01-07T20:30","rule":"FREQ=WEEKLY",` +
				`"rooms":[{room}]}`},
		{route: "POST /events", status: 201, keep: "vigil=id",
			send: `{"title":"Vigil","start":"{year}-12-31T23:00","end":"{year}-12-31T23:30"}`},
		{route: "POST /events", status: 409, // the room is taken
			send: `{"title":"Band","start":"{year}-01-07T20:00","end":"{year}-01-07T21:00","rooms":[{room}]}`},
		{route: "GET /events/{id}", path: "/events/{event}", status: 200},
		{route: "PUT /events/{id}", path: "/events/{event}", status: 200, keep: "rev=rev",
			send: `{"title":"Choir","start":"{year}-01-07T19:00","end":"{year}-01-07T20:00","rule":"FREQ=WEEKLY",` +
				`"rooms":[{room}],"rev":{rev}}`},
		{route: "PUT /events/{id}/dates/{date}", path: "/events/{event}/dates/{year}-01-14T19:00", status: 200,
			keep: "rev=rev",
			send: `{"title":"Choir","start":"{year}-01-14T18:00","end":"{year}-01-14T19:00","rev":{rev}}`},
		{route: "POST /events/{id}/dates/{date}/cancel", path: "/events/{event}/dates/{year}-01-21T19:00/cancel",
			send: `{"rev":{rev}}`, status: 200, keep: "rev=rev"},
		{route: "POST /events/{id}/dates/{date}/restore", path: "/events/{event}/dates/{year}-01-21T19:00/restore",
			send: `{"rev":{rev}}`, status: 200, keep: "rev=rev"},
		{route: "PUT /events/{id}/following/{date}", status: 200,
			path: "/events/{event}/following/{year}-02-04T19:00", keep: "next=id nextrev=rev",
			send: `{"title":"Choir","start":"{year}-02-04T20:00","end":"{year}-02-04T21:00","rule":"FREQ=WEEKLY",` +
				`"rooms":[{room}],"rev":{rev}}`},
		{route: "POST /events/{id}/following/{date}/end", path: "/events/{next}/following/{year}-03-04T20:00/end",
			send: `{"rev":{nextrev}}`, status: 200},
		{route: "GET /occurrences", path: "/occurrences?from={year}-01-01&to={year}-02-01", status: 200},
		{route: "GET /waiting", status: 200},
		{route: "POST /services", status: 201, keep: "evening=id eveningrev=rev",
			send: `{"title":"Evening","start":"{year}-01-08T18:00","end":"{year}-01-08T19:00","rooms":[{room}]}`},
		{route: "PUT /services/{id}", path: "/services/{evening}", status: 200,
			send: `{"title":"Evening","start":"{year}-01-09T18:00","end":"{year}-01-09T19:00","rooms":[{room}],` +
				`"rev":{eveningrev}}`},
		{route: "DELETE /services/{id}", path: "/services/{evening}", status: 204},
		{route: "POST /services/{id}/restore", path: "/services/{evening}/restore", send: `{}`, status: 204},
		{route: "DELETE /events/{id}", path: "/events/{vigil}", status: 204},
		{route: "POST /events/{id}/restore", path: "/events/{vigil}/restore", send: `{}`, status: 200},
		{route: "PUT /events/{id}/signups", path: "/events/{vigil}/signups", status: 200,
			send: `{"places":1,"closes":"","queue":true,"questions":[{"kind":"choice","text":"Tea?",` +
				`"required":true,"choices":["Yes","No"]}]}`},
		{route: "POST /events/{id}/signups/link", path: "/events/{vigil}/signups/link", send: `{}`, status: 201},
		{route: "DELETE /events/{id}/signups/link", path: "/events/{vigil}/signups/link", status: 204},
		{route: "POST /events/{id}/signup", path: "/events/{vigil}/signup", status: 201,
			send: `{"name":"Eve","email":"eve@example.org","language":"en","answers":{"1":"Yes"}}`},
		{route: "GET /events/{id}/signup", path: "/events/{vigil}/signup", status: 200},
		{route: "GET /events/{id}/signups", path: "/events/{vigil}/signups", status: 200, keep: "eve=people.0.id"},
		{route: "GET /events/{id}/signups.csv", path: "/events/{vigil}/signups.csv", status: 200},
		{route: "DELETE /events/{id}/signups/{person}", path: "/events/{vigil}/signups/{eve}", status: 204},
		{route: "DELETE /events/{id}/signup", path: "/events/{vigil}/signup", status: 404},
		{route: "GET /link", status: 404}, // it was made for nothing
		{route: "POST /link/signup", status: 404,
			send: `{"name":"Eve","email":"eve@example.org","language":"en","answers":{}}`},
		{route: "POST /link/withdraw", send: `{}`, status: 404},
		{route: "GET /events/{id}/signups/dates", path: "/events/{vigil}/signups/dates", status: 200},
		{route: "DELETE /events/{id}/signups", path: "/events/{vigil}/signups", status: 204},
		{route: "PUT " + anyDate + "/signups", path: aDate + "/signups", status: 200,
			send: `{"places":1,"closes":"","queue":true,"questions":[]}`},
		{route: "POST " + anyDate + "/signups/link", path: aDate + "/signups/link", send: `{}`, status: 201},
		{route: "DELETE " + anyDate + "/signups/link", path: aDate + "/signups/link", status: 204},
		{route: "POST " + anyDate + "/signup", path: aDate + "/signup", status: 201,
			send: `{"name":"Eve","email":"eve@example.org","language":"en","answers":{}}`},
		{route: "GET " + anyDate + "/signup", path: aDate + "/signup", status: 200},
		{route: "GET " + anyDate + "/signups", path: aDate + "/signups", status: 200,
			keep: "eve=people.0.id"},
		{route: "GET " + anyDate + "/signups.csv", path: aDate + "/signups.csv", status: 200},
		{route: "DELETE " + anyDate + "/signups/{person}", path: aDate + "/signups/{eve}", status: 204},
		{route: "DELETE " + anyDate + "/signup", path: aDate + "/signup", status: 404},
		{route: "DELETE " + anyDate + "/signups", path: aDate + "/signups", status: 204},
		{route: "GET /services/{id}/signups/count", path: "/services/{evening}/signups/count", status: 200},
		{route: "GET /export.csv", status: 200},
		{route: "GET /calendar.ics", status: 200},
		{route: "GET /public.ics", status: 200},
		{route: "GET /export", status: 200, keep: "all=*"},
		{route: "DELETE /events/{id}", path: "/events/{vigil}", status: 204},
		{route: "POST /import", path: "/import?format=json", send: `{all}`, status: 200},
		{route: "POST /import", path: "/import?format=csv", status: 200,
			send: "title,start,end\nFete,{year}-06-06 10:00,{year}-06-06 11:00\n"},
		{route: "GET /imports", status: 200, keep: "import=imports.0.id"},
		{route: "DELETE /imports/{id}", path: "/imports/{import}", status: 200},
		{route: "DELETE /rooms/{id}", path: "/rooms/{room}", status: 409},
	}},
	{"rota", []moduleCall{
		{route: "PUT /roles", send: `{"rev":1,"roles":[{"name":"Tea"}]}`, status: 200},
		{route: "GET /board", status: 200, keep: "role=roles.0.id planned=weeks.0.services.0.id"},
		{route: "GET /services/{ref}/asked", path: "/services/{planned}/asked", status: 200},
		{route: "PUT /news/seen", send: `{"upTo":1}`, status: 204},
		{route: "POST /volunteers", status: 201,
			send: `{"label":"Ada","email":"ada@example.org","language":"","digest":false,"roleIds":["{role}"]}`,
			keep: "ada=id adarev=rev"},
		{route: "PUT /volunteers/{id}", path: "/volunteers/{ada}", status: 200, keep: "adarev=rev",
			send: `{"label":"Ada","email":"ada@example.org","language":"de","digest":true,"roleIds":["{role}"],` +
				`"rev":{adarev}}`},
		{route: "PUT /volunteers/{id}/away", path: "/volunteers/{ada}/away", status: 200,
			send: `{"away":[{"from":"2033-05-01","to":"2033-05-03"}],"rev":{adarev}}`, keep: "wishrev=rev"},
		{route: "PUT /volunteers/{id}/wishes", path: "/volunteers/{ada}/wishes", status: 200,
			send: `{"wishes":[{"from":"2033-06-01","to":"2033-06-03"}],"perMonth":2,"rev":{wishrev}}`},
		{route: "PUT /services/{ref}/needs", path: "/services/{planned}/needs", status: 204,
			send: `{"needs":[{"roleId":"{role}","needed":2,"rev":0}]}`},
		{route: "GET /fill", path: "/fill?from=2033-01-01&to=2033-03-01", status: 200},
		{route: "POST /volunteers/import", send: "Name,E-mail,Roles\nBen,ben@example.org,Tea\n", status: 200},
		{route: "GET /volunteers/export", status: 200},
		{route: "GET /plan.csv", path: "/plan.csv?from=2033-01-01&to=2033-03-01", status: 200},
		{route: "GET /plan.ics", path: "/plan.ics?from=2033-01-01&to=2033-03-01", status: 200},
		{route: "POST /mail/send", send: `{"kind":"invitation","ids":["{ada}"]}`, status: 202},
		{route: "POST /claim", send: `{"token":"{token}"}`, status: 204},
		{route: "POST /mail/test", send: `{}`, status: 200},
		{route: "PUT /assignments", status: 200, keep: "duty=assignments.0.id dutyrev=assignments.0.rev",
			send: `{"add":[{"serviceId":"{planned}","roleId":"{role}","volunteerId":"{ada}"}]}`},
		{route: "PUT /assignments", send: `{"set":[{"id":"{duty}","status":"open","rev":{dutyrev}}]}`, status: 200},
		{route: "GET /mine", status: 200, keep: "myrev=volunteer.rev dutyrev=dates.0.rev"},
		{route: "POST /mine/{id}/answer", path: "/mine/{duty}/answer", send: `{"answer":"yes","rev":{dutyrev}}`,
			status: 200, keep: "dutyrev=rev"},
		{route: "GET /duties.ics", status: 200},
		{route: "POST /mine/{id}/substitute", path: "/mine/{duty}/substitute", send: `{"rev":{dutyrev}}`,
			status: 200},
		{route: "POST /mine/{id}/take", path: "/mine/{duty}/take", send: `{}`, status: 404}, // nobody asked her
		{route: "PUT /mine/away", send: `{"away":[],"rev":{myrev}}`, status: 200, keep: "myrev=rev"},
		{route: "PUT /mine/wishes", send: `{"wishes":[],"perMonth":0,"rev":{myrev}}`, status: 200},
		{route: "GET /link", status: 200, keep: "dutyrev=dates.0.rev"},
		{route: "POST /link/{id}/answer", path: "/link/{duty}/answer", status: 200, keep: "dutyrev=rev",
			send: `{"answer":"yes","rev":{dutyrev}}`},
		{route: "POST /link/{id}/substitute", path: "/link/{duty}/substitute", send: `{"rev":{dutyrev}}`,
			status: 200},
		{route: "POST /link/{id}/take", path: "/link/{duty}/take", send: `{}`, status: 404},
		{route: "DELETE /volunteers/{id}/link", path: "/volunteers/{ada}/link", status: 204},
		{route: "GET /export", status: 200, keep: "all=*"},
		{route: "DELETE /volunteers/{id}", path: "/volunteers/{ada}", status: 204},
		{route: "POST /import", send: `{all}`, status: 200},
		{route: "GET /imports", status: 200, keep: "import=imports.0.id"},
		{route: "DELETE /imports/{id}", path: "/imports/{import}", status: 200},
	}},
}

// moduleChannels are the channels of the sample modules.
var moduleChannels = []string{
	"announcements/board", "announcements/notices", "calendar/events", "calendar/signups", "calendar/today",
	"rota/board",
	"stage/control", "stage/plans", "stage/screen",
}

var (
	placeholder  = regexp.MustCompile(`\{[a-z]+\}`)
	claimAddress = regexp.MustCompile(`claim/([A-Za-z0-9._-]+)`)
)

// TestRoutesOfTheSampleModules calls every route and every channel of the sample modules in their sandbox: as
// processes of the platform, with the few variables and files that a module has there. A route or a channel
// without a case fails the test. The shapes of the answers are in testdata/moduleroutes.golden, which
// MODULE_ROUTES=write writes. Checklists is a script, whose process is the program of the platform; this
// test's own program needs libraries that the sandbox does not let it load. Its routes are called by its own
// tests (modulehost/scripttest) and by TestChecklists of web/browsertest.
func TestRoutesOfTheSampleModules(t *testing.T) {
	t.Parallel()
	i := install(t, "announcements", "calendar", "countdown", "home", "rota", "stage")
	i.useObjectStorage("http://" + storagetest.New(t).Address)
	i.environment["SERVICE_MODULE_SECRET__ROTA__LINK_SIGNING_KEY"] = "a key of this test alone, long enough"
	box := i.mailbox(t)
	i.db.Exec(t, `INSERT INTO core.module_configuration_document (module_id) VALUES ('rota')
		ON CONFLICT DO NOTHING`)
	i.db.Exec(t, `INSERT INTO core.module_configuration (module_id, key, value) VALUES
		('rota', 'teamName', 'Office'), ('rota', 'dashboardLink', 'https://example.org')`)
	i.db.Exec(t, `UPDATE core.house SET time_zone = 'Europe/Berlin', rev = rev + 1`)
	platform := i.inProcess(t)
	owner := i.signIn(t, ownerAddress, ownerPassword)

	missing := make(map[string]bool)
	for _, route := range platform.Routes() {
		if route.Module != "" && !route.Link { // a link reaches the same handlers
			missing[route.Method+" "+route.Path] = true
		}
	}
	kept := map[string]string{"picture": string(pngPicture(t)), "year": strconv.Itoa(time.Now().Year() + 1),
		"soon": time.Now().AddDate(0, 0, 3).UTC().Format("2006-01-02T15:04:05.000Z")}
	fill := func(text string) string {
		if strings.Contains(text, "{token}") && kept["token"] == "" {
			kept["token"] = box.claimToken(t)
		}
		return placeholder.ReplaceAllStringFunc(text, func(name string) string {
			value, found := kept[strings.Trim(name, "{}")]
			if !found {
				t.Fatalf("%s: no response had %s", text, name)
			}
			return value
		})
	}
	var shapes strings.Builder
	for _, of := range moduleCalls {
		for _, call := range of.calls {
			method, path, _ := strings.Cut(call.route, " ")
			delete(missing, method+" "+gateway.Prefix+of.module+path)
			if call.path != "" {
				path = call.path
			}
			got := owner.send(method, gateway.Prefix+of.module+fill(path), fill(call.send))
			if got.status != call.status {
				t.Fatalf("%s %s: status %d, want %d; body %.300s", of.module, call.route, got.status, call.status,
					got.body)
			}
			fmt.Fprintf(&shapes, "%s %s %d %s\n", of.module, call.route, got.status, shapeOf(got))
			keepFrom(t, kept, call, got.body)
		}
	}
	for _, channel := range moduleChannels {
		delete(missing, "GET "+gateway.RealtimePrefix+channel)
		first := owner.subscribe(gateway.RealtimePrefix + channel).next()
		fmt.Fprintf(&shapes, "%s %s\n", channel, shapeOfText(first))
	}
	compareWithGolden(t, "testdata/moduleroutes.golden", "MODULE_ROUTES", shapes.String())
	for route := range missing {
		t.Errorf("%s has no case", route)
	}
	for _, of := range moduleCalls {
		var process struct{ Starts int }
		told := owner.do("GET", "/api/v1/module-lifecycle/"+of.module+"/process", nil)
		if err := json.Unmarshal([]byte(told.body), &process); err != nil || process.Starts != 1 {
			t.Errorf("the process of %s after all calls: %s, want one start", of.module, told.body)
		}
	}
}

// pngPicture is a small picture.
func pngPicture(t *testing.T) []byte {
	t.Helper()
	var content bytes.Buffer
	if err := png.Encode(&content, image.NewGray(image.Rect(0, 0, 64, 36))); err != nil {
		t.Fatal(err)
	}
	return content.Bytes()
}

// send sends a body as a module's page does: JSON, a picture or text.
func (p *person) send(method, path, body string) httpResponse {
	p.t.Helper()
	request, err := http.NewRequestWithContext(p.t.Context(), method, p.address+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	switch {
	case body == "":
	case json.Valid([]byte(body)):
		request.Header.Set("Content-Type", "application/json")
	default:
		request.Header.Set("Content-Type", http.DetectContentType([]byte(body)))
	}
	request.Header.Set("Origin", p.address)
	request.Header.Set("Cookie", p.cookie)
	response, err := p.client.Do(request)
	if err != nil {
		p.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		p.t.Fatalf("%s %s: %v", method, path, err)
	}
	return httpResponse{response.StatusCode, response.Header, string(text)}
}

// shapeOf returns the type of a response and, of JSON, its names and the types of its values.
func shapeOf(r httpResponse) string {
	kind := r.header.Get("Content-Type")
	if kind == "" {
		return "nothing"
	}
	return kind + " " + shapeOfText(r.body)
}

// shapeOfText returns the names and the types of the values of JSON, of another text its first word.
func shapeOfText(text string) string {
	prefix, isSnapshot := "", strings.HasPrefix(text, "snapshot ")
	if isSnapshot {
		prefix, text = "snapshot ", strings.TrimPrefix(text, "snapshot ")
	}
	var value any
	if json.Unmarshal([]byte(text), &value) != nil {
		word, _, _ := strings.Cut(text, ",")
		word, _, _ = strings.Cut(word, "\r")
		return prefix + strconv.Quote(word[:min(len(word), 20)])
	}
	return prefix + shape(value)
}

func shape(value any) string {
	switch v := value.(type) {
	case map[string]any:
		var members []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			members = append(members, name+": "+shape(v[name]))
		}
		return "{" + strings.Join(members, ", ") + "}"
	case []any:
		if len(v) == 0 {
			return "[]"
		}
		return "[" + shape(v[0]) + "]"
	case nil:
		return "null"
	default:
		return fmt.Sprintf("%T", v)
	}
}

// keepFrom keeps values of a response for later calls.
func keepFrom(t *testing.T, kept map[string]string, call moduleCall, body string) {
	t.Helper()
	for each := range strings.FieldsSeq(call.keep) {
		name, place, _ := strings.Cut(each, "=")
		if place == "*" {
			kept[name] = body
			continue
		}
		var value any
		_ = json.Unmarshal([]byte(body), &value)
		for part := range strings.SplitSeq(place, ".") {
			switch inside := value.(type) {
			case map[string]any:
				value = inside[part]
			case []any:
				n, _ := strconv.Atoi(part)
				if value = nil; n < len(inside) {
					value = inside[n]
				}
			}
		}
		if value == nil {
			t.Fatalf("%s: the response has no %s: %.300s", call.route, place, body)
		}
		kept[name] = fmt.Sprint(value)
	}
}

// claimToken returns the token of the next invitation of the rota.
func (b *mailbox) claimToken(t *testing.T) string {
	t.Helper()
	for {
		if found := claimAddress.FindStringSubmatch(b.next(t).text(t)); found != nil {
			return found[1]
		}
	}
}
