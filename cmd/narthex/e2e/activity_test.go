package e2e

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
)

// requireActivity makes the database refuse the commit of a change that the same transaction does not record
// as activity.
const requireActivity = `
CREATE FUNCTION core.require_activity() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'UPDATE' AND OLD IS NOT DISTINCT FROM NEW THEN
		RETURN NULL;
	END IF;
	IF NOT EXISTS (SELECT FROM core.activity WHERE xmin = pg_current_xact_id()::xid) THEN
		RAISE EXCEPTION 'a change of core.% is not recorded', TG_TABLE_NAME;
	END IF;
	RETURN NULL;
END
$$;
DO $$
DECLARE change text;
BEGIN
	FOREACH change IN ARRAY ARRAY[
		'INSERT OR UPDATE OR DELETE ON core.permission_grant',
		'INSERT OR UPDATE OR DELETE ON core.platform_owner',
		'INSERT OR UPDATE OR DELETE ON core.module_enablement',
		'INSERT OR UPDATE OR DELETE ON core.module_configuration',
		'INSERT OR UPDATE OR DELETE ON core.navigation_group',
		'INSERT OR UPDATE OR DELETE ON core.navigation_placement',
		'INSERT OR UPDATE OR DELETE ON core.house',
		'INSERT OR UPDATE OF secret_hash, revoked_at ON core.feed',
		'INSERT OR DELETE ON core.passkey',
		'INSERT OR DELETE ON core.recovery_code',
		'UPDATE OF has_passkey ON core.person',
		'INSERT OR UPDATE OF label, revoked_at ON core.device',
		'INSERT OR UPDATE OF state, token_hash, grants ON core.invitation',
		'UPDATE OF deactivated_at, erased_at ON core.person'
	] LOOP
		EXECUTE format('CREATE CONSTRAINT TRIGGER %I AFTER %s DEFERRABLE INITIALLY DEFERRED
			FOR EACH ROW EXECUTE FUNCTION core.require_activity()', 'require_' || md5(change), change);
	END LOOP;
END
$$`

// actions returns the actions that were recorded after entry number since, in order.
func (i *installation) actions(t *testing.T, since int) (actions string) {
	t.Helper()
	err := i.db.Pool(t).QueryRow(t.Context(), `
		SELECT coalesce(string_agg((entry::jsonb -> 'actor' ->> 'kind') || ' ' || action, ', ' ORDER BY number), '')
		FROM core.activity
		WHERE number > $1`, since).Scan(&actions)
	if err != nil {
		t.Fatal(err)
	}
	return actions
}

func (i *installation) recorded(t *testing.T) (count int) {
	t.Helper()
	err := i.db.Pool(t).QueryRow(t.Context(), `SELECT count FROM core.activity_head`).Scan(&count)
	if err != nil {
		t.Fatal(err)
	}
	return count
}

// TestEveryChangeIsRecorded makes every change that has to be recorded, by its route or command. The database
// refuses a change that is not recorded in its own transaction. Each change is then repeated; where the
// repetition has no effect, it must not be recorded.
func TestEveryChangeIsRecorded(t *testing.T) {
	t.Parallel()
	i := installScreenModule(t)
	if err := os.Symlink(builtModule(t, "configured"),
		filepath.Join(i.environment["SERVICE_MODULES_DIR"], "configured")); err != nil {
		t.Fatal(err)
	}
	i.db.Exec(t, requireActivity)
	i.inProcess(t)
	if got := i.actions(t, 0); got != "operator owner.granted" {
		t.Fatalf("after identity:create-initial-owner: %q is recorded, want operator owner.granted", got)
	}
	owner := i.visitorFrom(t, 1).signInAs(t, ownerAddress)
	ownerID := owner.userID(t)
	i.db.Exec(t, `
		INSERT INTO core.person (email, name, email_verified, password_hash)
		SELECT 'anna@example.org', 'Anna', true, password_hash FROM core.person`)
	anna := i.visitorFrom(t, 2).signInAs(t, "anna@example.org").userID(t)
	send := func(method, path, body string) func() {
		return func() {
			t.Helper()
			var value any
			if body != "" {
				value = strings.NewReader(body)
			}
			got := owner.do(method, path, value)
			if got.status >= http.StatusBadRequest && got.status != http.StatusConflict {
				t.Errorf("%s %s as the owner: status %d, want success or 409; body %s", method, path,
					got.status, got.body)
			}
		}
	}
	command := func(args ...string) func() string {
		return func() string {
			t.Helper()
			r := runCommand(t, i.environment, "", args...)
			if r.awaitExit(t) != cli.ExitSuccess {
				t.Errorf("narthex %s: exit status %d, want %d; stderr %s", strings.Join(args, " "),
					r.awaitExit(t),
					cli.ExitSuccess, r.stderr.String())
			}
			return r.stdout.String()
		}
	}
	grant := ""
	deviceID := ""
	for _, step := range []struct {
		do      func()
		first   string // the actions recorded the first time
		further string // the actions recorded the second time
	}{
		{send("POST", "/api/v1/grants", `{"userId":"`+anna+`","permissionId":"core.devices.manage"}`),
			"person grant.issued", ""},
		{func() {
			if grant == "" {
				if err := i.db.Pool(t).QueryRow(t.Context(),
					`SELECT id::text FROM core.permission_grant`).Scan(&grant); err != nil {
					t.Fatal(err)
				}
			}
			owner.create(t, 200, "/api/v1/grants/"+grant+"/revoke", struct{}{})
		}, "person grant.revoked", ""},
		{send("PUT", "/api/v1/module-lifecycle/announcements/enabled", `{"enabled":false}`),
			"person module.disabled", ""},
		{func() { command("modules:enable", "--module", "announcements")() }, "operator module.enabled", ""},
		{func() { command("modules:disable", "--module", "announcements")() }, "operator module.disabled", ""},
		{send("PUT", "/api/v1/module-configuration/configured", `{"values":{"title":"Hello"}}`),
			"person configuration.replaced", ""},
		{send("PUT", "/api/v1/module-configuration/configured", `{"values":{}}`),
			"person configuration.replaced", ""},
		{send("PUT", "/api/v1/dashboard/navigation/groups/worship", `{"label":"Worship","order":1}`),
			"person navigation.changed", ""},
		{send("PUT", "/api/v1/dashboard/navigation/placements/announcements", `{"groupId":"worship","order":1}`),
			"person navigation.changed", ""},
		{send("DELETE", "/api/v1/dashboard/navigation/placements/announcements", ""),
			"person navigation.changed", ""},
		{send("DELETE", "/api/v1/dashboard/navigation/groups/worship", ""), "person navigation.changed", ""},
		{send("PUT", "/api/v1/house", `{"name":"St. Mary","accent":"plum","language":"en","timeZone":null`+
			`,"secondFactor":"optional"}`),
			"person house.changed", ""},
		{func() {
			if deviceID == "" {
				_, deviceID = i.pairScreen(t, owner, 10)
			}
		}, "person screen.paired", ""},
		{func() { send("PUT", "/api/v1/devices/"+deviceID, `{"label":"Foyer"}`)() }, "person screen.renamed", ""},
		{func() { send("POST", "/api/v1/devices/"+deviceID+"/revoke", `{}`)() }, "person screen.revoked", ""},
		{send("POST", "/api/v1/invitations", `{"email":"bert@example.org"}`),
			"person person.invited", "person person.invited"},
		{func() { send("POST", "/api/v1/invitations/"+i.invitation(t)+"/send", `{}`)() },
			"person invitation.sent", "person invitation.sent"},
		{func() { send("POST", "/api/v1/invitations/"+i.invitation(t)+"/withdraw", `{}`)() },
			"person invitation.withdrawn", ""},
		{func() {
			r := runCommand(t, i.environment, "", "identity:invite", "--email", "zoe@example.org")
			r.awaitExit(t) // fails the second time: Zoe has joined
			_, token, _ := strings.Cut(strings.TrimSpace(r.stdout.String()), "accept-invitation&token=")
			owner.do("POST", "/api/v1/invitations/accept",
				map[string]string{"token": token, "name": "Zoe", "password": ownerPassword})
		}, "operator person.invited, person person.joined", ""},
		{func() { command("identity:reset-link", "--email", "anna@example.org")() },
			"operator person.reset_link_issued", "operator person.reset_link_issued"},
		{send("GET", "/api/v1/account/export", ""), "person person.exported", "person person.exported"},
		{func() {
			command("identity:export", "--user-id", anna, "--to", filepath.Join(t.TempDir(), "anna.json"))()
		}, "operator person.exported", "operator person.exported"},
		{func() { // the second one in a day is refused
			if got := owner.do("POST", "/api/v1/people/"+anna+"/remind", object{}); got.status != 200 &&
				got.status != 429 {
				t.Errorf("reminding Anna: %d %s, want 200 or 429", got.status, got.body)
			}
		}, "person person.reminded", ""},
		{send("POST", "/api/v1/people/"+anna+"/deactivate", `{}`), "person person.deactivated", ""},
		{send("POST", "/api/v1/people/"+anna+"/reactivate", `{}`), "person person.reactivated", ""},
		{func() { command("identity:deactivate", "--email", "Anna@example.org")() },
			"operator person.deactivated", ""},
		{func() { command("identity:reactivate", "--user-id", anna)() }, "operator person.reactivated", ""},
		{func() {
			command("identity:deactivate", "--email", "zoe@example.org")()
		}, "operator person.deactivated", ""},
		{func() { send("POST", "/api/v1/people/"+i.personWho(t, "deactivated_at IS NOT NULL")+"/erase", `{}`)() },
			"person person.erased", ""},
		{func() { command("authorization:transfer-owner", "--to-user-id", anna)() },
			"operator owner.transferred", ""},
		{func() { command("authorization:transfer-owner", "--to-user-id", ownerID)() },
			"operator owner.transferred", ""},
	} {
		before := i.recorded(t)
		step.do()
		if got := i.actions(t, before); got != step.first {
			t.Errorf("recorded %q, want %q", got, step.first)
		}
		before = i.recorded(t)
		step.do()
		if got := i.actions(t, before); got != step.further {
			t.Errorf("the second time %q is recorded, want %q", got, step.further)
		}
	}
	i.assertDoctorSaysOfActivity(t, "unbroken")
	i.db.Exec(t, `ALTER TABLE core.activity DISABLE TRIGGER USER;
		UPDATE core.activity SET entry = replace(entry, 'house', 'horse') WHERE action = 'house.changed'`)
	i.assertDoctorSaysOfActivity(t, "ACTIVITY_CHAIN_BROKEN")
}

// personWho returns the id of the only person who fulfils an SQL condition.
func (i *installation) personWho(t *testing.T, condition string) (id string) {
	t.Helper()
	err := i.db.Pool(t).QueryRow(t.Context(), `SELECT id::text FROM core.person WHERE `+condition).Scan(&id)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// invitation returns the id of the only invitation.
func (i *installation) invitation(t *testing.T) (id string) {
	t.Helper()
	err := i.db.Pool(t).QueryRow(t.Context(), `SELECT id::text FROM core.invitation`).Scan(&id)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// assertDoctorSaysOfActivity also expects the count and the hash on the line.
func (i *installation) assertDoctorSaysOfActivity(t *testing.T, want string) {
	t.Helper()
	r := runCommand(t, i.environment, "", "doctor")
	r.awaitExit(t)
	var hash string
	if err := i.db.Pool(t).QueryRow(t.Context(),
		`SELECT encode(hash, 'hex') FROM core.activity_head`).Scan(&hash); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(r.stdout.String()) {
		if strings.Contains(line, want) && strings.Contains(line, hash) &&
			strings.Contains(line, fmt.Sprint(i.recorded(t))) {
			return
		}
	}
	t.Errorf("doctor says nothing of activity with %s, the count and the hash:\n%s", want, r.stdout.String())
}
