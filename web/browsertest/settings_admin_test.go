package browsertest

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// settingsFixture replaces the routes for a module's settings, with all six types.
type settingsFixture struct {
	*modulesFixture
	values object
	rev    int
	sent   []object // the bodies of the writes
	status int      // of the next write, if it is refused
	code   string
}

func newSettingsFixture(t *testing.T, h *fixture) *settingsFixture {
	t.Helper()
	s := &settingsFixture{
		modulesFixture: setModulesFixture(t, h),
		values:         object{"replyTo": "office@example.org"},
		rev:            3,
	}
	s.handle("GET /api/v1/module-configuration/rota", func(w http.ResponseWriter, _ *http.Request) { s.view(w) })
	s.handle("PUT /api/v1/module-configuration/rota", s.replace)
	return s
}

func (s *settingsFixture) view(w http.ResponseWriter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := func(name, kind string, more object) object {
		entry := object{"key": name, "type": kind, "required": false, "constraints": object{}}
		for field, value := range more {
			entry[field] = value
		}
		if value, found := s.values[name]; found {
			entry["value"], entry["configured"] = value, true
		} else if entry["configured"] == nil {
			entry["configured"] = false
		}
		return entry
	}
	text, err := json.Marshal(object{
		"moduleId": "rota", "version": "1.0.0", "rev": s.rev, "unknownKeys": []string{"oldColour"},
		"restartRequired": false, "keys": []object{
			key("teamName", "string",
				object{"required": true, "constraints": object{"minLength": 1, "maxLength": 60}}),
			key("replyTo", "string", object{"description": "Answers to the reminders go here."}),
			key("remindDaysBefore", "integer",
				object{"default": 3, "constraints": object{"minimum": 1, "maximum": 21}}),
			key("remindOnTheDay", "boolean", object{"default": true}),
			key("weekStartsOn", "enum",
				object{"default": "monday", "constraints": object{"values": []string{"monday", "sunday"}}}),
			key("dashboardLink", "url", object{"required": true}),
			key("linkSigningKey", "secret", object{"required": true}),
			key("colour", "enum", object{"configured": true,
				"constraints": object{"values": []string{"red", "green", "blue", "dark_blue", "grey"}}}),
		},
	})
	if err != nil {
		s.t.Error(err)
	}
	reply(w, 200, string(text))
}

func (s *settingsFixture) replace(w http.ResponseWriter, r *http.Request) {
	var sent struct {
		Values object
		Rev    int
	}
	if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
		s.t.Error(err)
	}
	s.mu.Lock()
	s.sent = append(s.sent, sent.Values)
	status, code := s.status, s.code
	s.status = 0
	if status == 0 && sent.Rev != s.rev {
		status, code = 409, "CONFLICT"
	}
	if status == 0 {
		s.values, s.rev = sent.Values, s.rev+1
	}
	s.mu.Unlock()
	if status != 0 {
		reply(w, status, `{"code":"`+code+`"}`)
		return
	}
	s.setModule("rota", object{"restartRequired": true})
	s.view(w)
}

// changeByAnother saves values as another administrator would.
func (s *settingsFixture) changeByAnother(values object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.values, s.rev = values, s.rev+1
}

func (s *settingsFixture) lastWritten() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.sent) == 0 {
		return ""
	}
	text, _ := json.Marshal(s.sent[len(s.sent)-1])
	return string(text)
}

const rotaSettings = "/#/admin/modules/rota/settings"

// TestSettings fills in a form with all six types, starting with the first field that is incomplete.
func TestSettings(t *testing.T) {
	t.Parallel()
	s := newSettingsFixture(t, newFixture(t))
	p := openPage(t, s.URL+rotaSettings+"/teamName", desktop)
	p.find("heading", "Settings: Rota")
	p.waitForText("Needed before Rota can start")
	p.waitForText("Text, 1 to 60")
	p.waitForText("Colour has a value that is no longer allowed.")
	p.waitForText("SERVICE_MODULE_SECRET__ROTA__LINK_SIGNING_KEY")
	p.waitForText("Not set on the server")
	p.waitForText("oldColour")
	p.waitFor(`document.activeElement.dataset.key === "teamName"`)
	p.fill("Team name", strings.Repeat("x", 61))
	p.fill("Remind days before", "22")
	p.fill("Dashboard link", "church.example.org")
	p.click("button", "Save")
	p.waitForText("At most 60 characters.")
	p.waitForText("At most 21.")
	p.waitForText("A whole address that begins with https:// or http://.")
	p.waitFor(`document.activeElement.dataset.key === "teamName"`)
	if n := s.countWrites(); n != 0 {
		t.Errorf("%d writes of what the server would refuse, want none", n)
	}
	p.fill("Team name", "Welcome team")
	p.fill("Remind days before", "7")
	p.fill("Dashboard link", "https://church.example.org")
	p.click("radio", "Off")
	p.click("radio", "Sunday")
	p.click("button", "Use default: Reply to")
	p.click("button", "Save")
	p.waitForAnnouncement("Saved")
	want := `{"dashboardLink":"https://church.example.org","remindDaysBefore":7,"remindOnTheDay":false,` +
		`"teamName":"Welcome team","weekStartsOn":"sunday"}`
	if sent := s.lastWritten(); sent != want {
		t.Errorf("sent %s, want %s", sent, want)
	}
	p.waitForText("1 change waits for a restart.")
	p.click("radio", "Default (on)")
	p.click("button", "Use default: Remind days before")
	p.click("button", "Save")
	p.waitUntil("a document without the defaults", func() bool {
		return !strings.Contains(s.lastWritten(), "remind")
	})
}

// TestSettingsByKeyboard saves a form by keyboard only.
func TestSettingsByKeyboard(t *testing.T) {
	t.Parallel()
	s := newSettingsFixture(t, newFixture(t))
	p := openPage(t, s.URL+rotaSettings+"/teamName", desktop)
	p.waitFor(`document.activeElement.dataset.key === "teamName"`)
	p.key("Tea")
	for range 3 { // replyTo, its default, remindDaysBefore
		p.key(kb.Tab)
	}
	p.waitFor(`document.activeElement.dataset.key === "remindDaysBefore"`)
	p.key("5")
	p.key("\r")
	p.waitForAnnouncement("Saved")
	if sent := s.lastWritten(); !strings.Contains(sent, `"remindDaysBefore":5`) ||
		!strings.Contains(sent, `"Tea"`) {
		t.Errorf("sent %s", sent)
	}
}

// TestSettingsConflict: values that somebody else has saved meanwhile are shown beside the typed ones, and
// neither are lost.
func TestSettingsConflict(t *testing.T) {
	t.Parallel()
	s := newSettingsFixture(t, newFixture(t))
	p := openPage(t, s.URL+rotaSettings, desktop)
	p.fill("Team name", "Mine")
	p.fill("Reply to", "mine@example.org")
	s.changeByAnother(object{"teamName": "Theirs", "replyTo": "theirs@example.org", "weekStartsOn": "sunday"})
	p.click("button", "Save")
	p.waitForText("Somebody else has changed these settings meanwhile.")
	p.waitForText("Saved meanwhile: Theirs")
	p.waitFor(`document.querySelector("[data-key=teamName]").value === "Mine"`)
	p.click("button", "Take theirs: Reply to")
	p.waitFor(`document.querySelector("[data-key=replyTo]").value === "theirs@example.org"`)
	p.click("button", "Save")
	p.waitForAnnouncement("Saved, together with what somebody else has changed meanwhile: Week starts on")
	want := `{"replyTo":"theirs@example.org","teamName":"Mine","weekStartsOn":"sunday"}`
	if sent := s.lastWritten(); sent != want {
		t.Errorf("sent %s, want %s", sent, want)
	}
}

// TestSettingsOfTwo: values that another administrator saves appear in an unchanged form, and beside the
// typed values in a changed one.
func TestSettingsOfTwo(t *testing.T) {
	t.Parallel()
	s := newSettingsFixture(t, newFixture(t))
	p := openPage(t, s.URL+rotaSettings, desktop)
	p.find("textbox", "Team name")
	s.changeByAnother(object{"teamName": "First"})
	p.runScript(`dispatchEvent(new Event("focus"))`)
	p.waitFor(`document.querySelector("[data-key=teamName]").value === "First"`)
	p.fill("Team name", "Mine")
	s.changeByAnother(object{"teamName": "Second"})
	p.runScript(`dispatchEvent(new Event("focus"))`)
	p.waitForText("Saved meanwhile: Second")
	p.waitFor(`document.querySelector("[data-key=teamName]").value === "Mine"`)
}

// TestSettingsRefused: a refusal is shown above the form and gets the focus, and every typed value stays.
func TestSettingsRefused(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		status      int
		code, words string
	}{
		"invalid":    {400, "CONFIGURATION_VALUE_INVALID", "The server refused these settings. Nothing was saved."},
		"undeclared": {400, "CONFIGURATION_KEY_UNDECLARED", "The module no longer knows one of these keys."},
		"forbidden": {403, "PERMISSION_DENIED",
			"You no longer have access (See and change the settings of modules)."},
		"store":   {503, "STORE_UNAVAILABLE", "That did not work just now."},
		"offline": {0, "", "You are offline. Nothing is lost, nothing is saved yet."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSettingsFixture(t, newFixture(t))
			p := openPage(t, s.URL+rotaSettings, desktop)
			p.fill("Team name", "Kept")
			s.mu.Lock()
			s.status, s.code = row.status, row.code
			s.mu.Unlock()
			p.offline(row.status == 0)
			p.click("button", "Save")
			p.waitForVisibleText(row.words)
			p.waitFor(`document.activeElement.className === "host-refused"`)
			p.waitFor(`document.querySelector("[data-key=teamName]").value === "Kept"`)
			p.offline(false)
			p.click("button", "Save")
			p.waitForAnnouncement("Saved")
		})
	}
}

// TestSettingsPreview shows what the next start would do with the typed values, and writes nothing.
func TestSettingsPreview(t *testing.T) {
	t.Parallel()
	s := newSettingsFixture(t, newFixture(t))
	missing := blocked("configuration_missing", object{"configurationKey": "teamName"})
	s.respondJSON("POST /api/v1/module-configuration/rota/preview", 200, object{
		"modules": []object{{"moduleId": "rota", "name": "Rota", "then": running, "now": missing}},
		"waiting": []object{}, "screens": []object{},
	})
	p := openPage(t, s.URL+rotaSettings, desktop)
	p.click("button", "What would change?")
	p.waitForText("Rota starts at the next restart.")
	p.click("button", "Close")
	if n := s.countWrites(); n != 0 {
		t.Errorf("%d writes by a preview, want none", n)
	}
	p.fill("Team name", "Half")
	p.click("button", "Cancel")
	p.find("dialog", "Leave without saving?")
	p.click("button", "Leave")
	p.waitForHeading("Modules")
}
