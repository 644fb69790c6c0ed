package feeds_test

import (
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/services/principal"
)

// TestHouseFeed: a feed of the house is no person's. It has one permission of its module, outlives whoever
// made it, and whoever may make one lists it, replaces its address and ends it.
func TestHouseFeed(t *testing.T) {
	t.Parallel()
	h := setup(t)
	m := h.makeOfHouse(t)
	ben := h.person(t, "ben@example.org")
	h.assertFetch(t, "the address", m, 200)
	if list := h.send(t, h.anna, "GET", path, "").Body.String(); !strings.Contains(list, `"feeds":[]`) {
		t.Errorf("who made it has it among their own: %s", list)
	}
	list := h.send(t, ben, "GET", path+"/house", "").Body.String()
	if !strings.Contains(list, `"label":"Website"`) ||
		!strings.Contains(list, `"offers":[{"moduleId":"calendar","path":"/public.ics","type":"text/calendar",`+
			`"house":true}]`) {
		t.Errorf("the list is %s, want the feed and the one read that can be the house's", list)
	}
	h.Exec(t, `UPDATE core.person SET deactivated_at = now() WHERE id = $1`, h.anna)
	h.deny("calendar.public", true) // to people
	h.assertFetch(t, "after who made it has gone", m, 200)
	if who := h.callers[len(h.callers)-1]; who.Kind != principal.Link || who.UserID != "" || who.LinkID == "" {
		t.Errorf("the module was called by %+v, want a link", who)
	}
	renewed := h.send(t, ben, "POST", path+"/"+m.ID+"/renew", "{}")
	h.assertFetch(t, "the former address", m, 404)
	again := made{m.ID, strings.Split(renewed.Body.String(), `"`)[7]}
	h.assertFetch(t, "the new address", again, 200)
	assertCode(t, "revoke", h.send(t, ben, "POST", path+"/"+m.ID+"/revoke", "{}"), 200, "")
	h.assertFetch(t, "after its end", again, 404)
	var live int
	var actions string
	if err := h.Pool(t).QueryRow(t.Context(), `
		SELECT (SELECT count(*) FROM core.link WHERE revoked_at IS NULL),
			(SELECT string_agg(entry::json ->> 'action', ' ' ORDER BY number) FROM core.activity)`,
	).Scan(&live, &actions); err != nil || live != 0 || actions != "link.made link.renewed link.revoked" {
		t.Errorf("%d live links, activity %q, want none and what was done; error %v", live, actions, err)
	}
}

// TestHouseFeedEndsWithItsLink: the link is asked every time.
func TestHouseFeedEndsWithItsLink(t *testing.T) {
	t.Parallel()
	h := setup(t)
	m := h.makeOfHouse(t)
	h.assertFetch(t, "with the link", m, 200)
	h.Exec(t, `UPDATE core.link SET revoked_at = now()`)
	h.assertFetch(t, "with a revoked link", m, 404)
	h.Exec(t, `UPDATE core.link SET revoked_at = NULL, permission_id = 'calendar.read'`)
	h.assertFetch(t, "with a link of another permission", m, 404)
}

// TestOwnFeedsWithoutASecondFactor: a person whom the house asks for one ends their own feeds all the same,
// and not those of the house.
func TestOwnFeedsWithoutASecondFactor(t *testing.T) {
	t.Parallel()
	h := setup(t)
	own, house := h.make(t, h.anna), h.makeOfHouse(t)
	h.deny("factor:core.links.manage", true)
	assertCode(t, "one's own", h.send(t, h.anna, "POST", path+"/"+own.ID+"/revoke", "{}"), 200, "")
	assertCode(t, "the house's", h.send(t, h.anna, "POST", path+"/"+house.ID+"/revoke", "{}"), 404,
		"FEED_NOT_FOUND")
	assertCode(t, "the list of the house", h.send(t, h.anna, "GET", path+"/house", ""), 403,
		"SECOND_FACTOR_MISSING")
}

// TestHouseFeedsOfWhom: only whoever may make addresses of the house, and may read what they show, makes one;
// and only of a restricted permission of the module. Others neither list nor change them.
func TestHouseFeedsOfWhom(t *testing.T) {
	t.Parallel()
	h := setup(t)
	m := h.makeOfHouse(t)
	for body, code := range map[string]string{
		strings.Replace(wantedOfHouse, "public", "house", 1):   "REQUEST_INVALID", // everybody has it
		strings.Replace(wantedOfHouse, "public", "foreign", 1): "REQUEST_INVALID", // of another owner
	} {
		assertCode(t, body, h.send(t, h.anna, "POST", path, body), 400, code)
	}
	h.deny("calendar.public", true)
	assertCode(t, "without reading it", h.send(t, h.anna, "POST", path, wantedOfHouse), 403, "PERMISSION_DENIED")
	h.deny("calendar.public", false)
	ben := h.person(t, "ben@example.org")
	h.deny("core.links.manage"+ben, true)
	assertCode(t, "making", h.send(t, ben, "POST", path, wantedOfHouse), 403, "PERMISSION_DENIED")
	assertCode(t, "listing", h.send(t, ben, "GET", path+"/house", ""), 403, "PERMISSION_DENIED")
	for _, what := range []string{"revoke", "renew"} {
		assertCode(t, what, h.send(t, ben, "POST", path+"/"+m.ID+"/"+what, "{}"), 404, "FEED_NOT_FOUND")
	}
	h.assertFetch(t, "afterwards", m, 200)
	for range 19 {
		h.makeOfHouse(t)
	}
	assertCode(t, "the 21st", h.send(t, h.anna, "POST", path, wantedOfHouse), 409, "FEED_LIMIT")
	h.make(t, h.anna) // one's own are counted by themselves
}
