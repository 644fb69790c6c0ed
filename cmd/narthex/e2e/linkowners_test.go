package e2e

import (
	"regexp"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/services/waittest"
)

var (
	answerAddress = regexp.MustCompile(`http\S+/link/rota#\S+`)
	claimToken    = regexp.MustCompile(`/m/rota/claim/(\S+)`)
)

// TestLinksOfVolunteers: the link in a mail is that of the person who is the volunteer, whether they have
// claimed the volunteer before the mail or after it. It does not work while they are deactivated.
func TestLinksOfVolunteers(t *testing.T) {
	t.Parallel()
	f := installLinks(t)
	box := f.mailbox(t)
	f.start(t)
	owner := f.signIn(t, ownerAddress, ownerPassword)
	f.db.Exec(t, `INSERT INTO module_rota.roles (name, position, needed) VALUES ('Reader', 1, 9)`)
	role := f.column(t, `SELECT id::text FROM module_rota.roles`)[0]
	service := owner.create(t, 201, "/api/v1/modules/stage/services", object{"title": "Sunday",
		"startsAt": time.Now().AddDate(0, 0, 7).UTC().Format(stamp)})["id"].(string)
	const rota, page = "/api/v1/modules/rota", "/api/v1/module-links/rota/api/link"

	for _, order := range []struct {
		name  string
		claim bool // before the mail
	}{{"anna", true}, {"ben", false}} {
		address := order.name + "@example.org"
		volunteer := owner.create(t, 201, rota+"/volunteers", object{"label": order.name, "email": address,
			"language": "en", "digest": false, "roleIds": []string{role}})["id"].(string)
		member := f.member(t, address)
		id := member.userID(t)
		owner.create(t, 201, "/api/v1/grants", object{"userId": id, "permissionId": "rota.own.respond"})
		send := func(kind, about string) string {
			owner.create(t, 202, rota+"/mail/send", object{"kind": kind, "ids": []string{about}})
			return box.next(t).text(t)
		}
		claim := func() {
			found := claimToken.FindStringSubmatch(send("invitation", volunteer))
			if len(found) == 0 {
				t.Fatal("the invitation has no link")
			}
			if got := member.do("POST", rota+"/claim", object{"token": found[1]}); got.status != 204 {
				t.Fatalf("%s claims: %d %s", order.name, got.status, got.body)
			}
		}
		if order.claim {
			claim()
		}
		if got := owner.do("PUT", rota+"/assignments", object{"add": []object{{"serviceId": service,
			"roleId": role, "volunteerId": volunteer}}}); got.status != 200 {
			t.Fatalf("PUT an assignment: %d %s", got.status, got.body)
		}
		assignment := f.column(t, `SELECT id::text FROM module_rota.assignments
			WHERE volunteer_id = '`+volunteer+`'`)[0]
		link := answerAddress.FindString(send("request", assignment))
		guest := f.openLink(t, link)
		if !order.claim {
			claim()
		}
		works := func(why string) {
			t.Helper()
			if got := guest.do("GET", page, nil); got.status != 200 {
				t.Errorf("%s, %s: %d %s, want the page", order.name, why, got.status, got.body)
			}
			f.openLink(t, link)
		}
		ended := func() bool {
			got := guest.do("GET", page, nil)
			return got.status == 404 && got.body == `{"code":"LINK_NOT_FOUND"}`
		}
		works("with an account")
		owner.create(t, 200, "/api/v1/people/"+id+"/deactivate", object{})
		if !ended() {
			t.Errorf("%s is deactivated, and the link works", order.name)
		}
		owner.create(t, 200, "/api/v1/people/"+id+"/reactivate", object{})
		works("back again")
		owner.create(t, 200, "/api/v1/people/"+id+"/deactivate", object{})
		owner.create(t, 200, "/api/v1/people/"+id+"/erase", object{})
		waittest.Until(t, "the link of an erased volunteer ends", ended)
		waittest.Until(t, "their links are revoked", func() bool {
			return len(f.column(t, `SELECT id::text FROM core.link WHERE revoked_at IS NULL`)) == 0
		})
	}
}
