package browsertest

import (
	"encoding/json"
	"net/http"
	"testing"
)

// settingsFixture replaces the routes for a module's settings, with all six types.
type settingsFixture struct {
	*modulesFixture
	values object
	rev    int
	status int // of the next write, if it is refused
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

const rotaSettings = "/#/admin/modules/rota/settings"
