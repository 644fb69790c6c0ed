package browsertest

import (
	"net/http"
	"strings"
	"testing"
)

// activityHouse is a house in which people have changed things on four days, with a coordinator who may do
// everything that the platform has.
type activityHouse struct {
	*devServer
	coordinator             *http.Cookie // their session
	coordinatorID, readerID string
}

// startActivityHouse makes the changes, most of them over the API.
func startActivityHouse(t *testing.T) *activityHouse {
	t.Helper()
	d := &activityHouse{devServer: startHouse(t)}
	d.ageActivity(t, "2026-11-02") // what was done when the house was prepared
	email := d.member(t, "Coordinator", append([]string{"core.people.manage", "core.activity.read"},
		everyPermission...)...)
	d.coordinator, d.coordinatorID = d.signIn(t, email), d.idOf(t, email)

	d.join(t, d.invite(t, d.signedInOwner(t), "reader1@example.org"), "Reader (1)")
	d.readerID = d.idOf(t, "reader1@example.org")
	d.ageActivity(t, "2026-11-20")

	d.record(t, entryBy(object{"kind": "operator"}, "module.enabled", "module", "stage", nil))
	settings := d.configurationOf(t, "rota")
	settings["values"].(object)["teamName"] = "Welcome team"
	settings["values"].(object)["remindDaysBefore"] = 5
	d.as(t, d.coordinator, "PUT", "/api/v1/module-configuration/rota", settings)
	d.ageActivity(t, "2026-11-21")

	d.as(t, d.coordinator, "POST", "/api/v1/grants",
		object{"userId": d.readerID, "permissionId": "stage.live.control"})
	former := d.addPerson(t, "former@example.org", "Former")
	d.record(t, entryBy(object{"kind": "person", "userId": former}, "screen.paired", "screen", "screen-1",
		object{"moduleId": "stage"}))
	d.as(t, d.coordinator, "POST", "/api/v1/people/"+former+"/deactivate", nil)
	d.as(t, d.coordinator, "POST", "/api/v1/people/"+former+"/erase", nil)
	d.ageActivity(t, "2026-11-22")
	return d
}

// open opens Activity as the coordinator, or another path.
func (d *activityHouse) open(t *testing.T, path string) (*fixture, *tab) {
	t.Helper()
	h := d.front(t)
	h.session = d.coordinator
	p := h.open("/#/admin/activity"+path, desktop)
	p.waitForHeading("Activity")
	waitForEntry(p)
	return h, p
}

// idOf returns the id of a person.
func (d *devServer) idOf(t *testing.T, email string) string {
	t.Helper()
	return d.query(t, `SELECT id::text FROM core.person WHERE email = $1`, email)
}

// as sends a request with the cookie of a session.
func (d *devServer) as(t *testing.T, session *http.Cookie, method, path string, body object) {
	t.Helper()
	if body == nil {
		d.send(t, session, method, path, http.NoBody)
		return
	}
	d.send(t, session, method, path, strings.NewReader(jsonOf(t, body)))
}

// configurationOf returns the settings of a module, ready to be sent back.
func (d *devServer) configurationOf(t *testing.T, moduleID string) object {
	t.Helper()
	values, stored := object{}, d.call(t, "GET", "/api/v1/module-configuration/"+moduleID, nil)
	for _, key := range stored["keys"].([]any) {
		if key := key.(map[string]any); key["value"] != nil {
			values[key["key"].(string)] = key["value"]
		}
	}
	return object{"values": values, "rev": stored["rev"]}
}

// entryBy is an entry of the activity. Without details, it has none.
func entryBy(actor object, action, kind, id string, details object) object {
	if details == nil {
		details = object{}
	}
	return object{"actor": actor, "action": action, "subject": object{"kind": kind, "id": id},
		"details": details}
}

// record adds entries to the activity with the function by which the platform does.
func (d *devServer) record(t *testing.T, entries ...object) {
	t.Helper()
	texts := make([]string, len(entries))
	for i, entry := range entries {
		texts[i] = jsonOf(t, entry)
	}
	d.query(t, `SELECT core.record_activity($1)::text`, texts)
}

// ageActivity dates all entries of this test's time in one minute at noon of a day.
func (d *devServer) ageActivity(t *testing.T, day string) {
	t.Helper()
	d.exec(t, `
		ALTER TABLE core.activity DISABLE TRIGGER USER;
		UPDATE core.activity SET at = '`+day+` 12:00:00+00' WHERE at > now() - interval '1 hour';
		ALTER TABLE core.activity ENABLE TRIGGER USER`)
}

// invite invites an address, and returns a token with which the invitation can be accepted.
func (d *devServer) invite(t *testing.T, session *http.Cookie, email string) (token string) {
	t.Helper()
	d.as(t, session, "POST", "/api/v1/invitations", object{"email": email})
	token = "the token for " + email
	d.query(t, `
		UPDATE core.invitation SET token_hash = sha256(convert_to($1, 'UTF8')) WHERE email = $2
		RETURNING id::text`, token, email)
	return token
}

// join accepts an invitation.
func (d *devServer) join(t *testing.T, token, name string) {
	t.Helper()
	d.as(t, nil, "POST", "/api/v1/invitations/accept",
		object{"token": token, "name": name, "password": d.password})
}
