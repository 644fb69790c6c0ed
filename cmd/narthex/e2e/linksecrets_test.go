package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/services/waittest"
)

var guestAddress = regexp.MustCompile(`http\S+/link/calendar#\S+`)

// TestSecretsOfLinksAreNowhere: what opens a link, and the address of a feed, are in no line of the log, no
// activity, no figure, no module's output, no row and no support bundle, and neither is what a guest has
// typed. Doctor says how many there are. The link of a deactivated person, and of an erased one, gives the
// one 404.
func TestSecretsOfLinksAreNowhere(t *testing.T) {
	t.Parallel()
	i := install(t, "calendar")
	box := i.mailbox(t)
	i.environment["SERVICE_METRICS_ADDRESS"] = filepath.Join(t.TempDir(), "metrics.sock")
	i.db.Exec(t, requireActivity)
	running := i.start(t)
	owner := i.signIn(t, ownerAddress, ownerPassword)
	at := time.Now().AddDate(0, 0, 3).Format(time.DateOnly)
	camp := owner.create(t, 201, "/api/v1/modules/calendar/events", map[string]any{"title": "Camp",
		"start": at + "T10:00", "end": at + "T18:00"})
	root := "/api/v1/modules/calendar/events/" + camp["id"].(string) + "/signup"
	if got := owner.do("PUT", root+"s", map[string]any{"places": 5, "closes": "", "queue": false,
		"questions": []any{}}); got.status != 200 {
		t.Fatalf("PUT the sheet: %d %s", got.status, got.body)
	}
	var secrets []string
	after := func(text, mark string) string {
		_, secret, found := strings.Cut(text, mark)
		if secret, _, _ = strings.Cut(secret, "/"); !found || len(secret) < 40 {
			t.Fatalf("%q has no secret after %q", text, mark)
		}
		secrets = append(secrets, secret)
		return secret
	}
	hide := map[string]any{"name": "Marked Guest", "email": "marked-guest@example.org", "language": "en",
		"answers": map[string]string{}}
	address := owner.create(t, 201, root+"s/link", map[string]any{})["address"].(string)
	if got := i.actions(t, i.recorded(t)-1); got != "person link.made" {
		t.Errorf("making the link is recorded as %q, want person link.made", got)
	}
	guest := i.openLink(t, address)
	after(address, "#")
	after(guest.cookie, "narthex_link=")
	after(guest.create(t, 201, guestRoot+"/link/signup", hide)["address"].(string), "#")
	after(guestAddress.FindString(box.next(t).text(t)), "#")

	member := i.member(t, "marked-member@example.org")
	hide["name"], hide["email"] = "Marked Member", "marked-member@example.org"
	member.create(t, 201, root, hide)
	own := guestAddress.FindString(box.next(t).text(t))
	after(own, "#")
	for _, by := range []*person{owner, member} {
		feed := map[string]any{"moduleId": "calendar", "path": "/calendar.ics", "label": "Phone"}
		if by == owner {
			feed["path"], feed["house"] = "/public.ics", true
		}
		url := by.create(t, 201, "/api/v1/feeds", feed)["url"].(string)
		after(url, "/feeds/")
		_, local, _ := strings.Cut(url, i.address)
		if got := i.visitor(t).do("GET", local, nil); got.status != 200 {
			t.Errorf("GET a feed: %d", got.status)
		}
		if got := i.visitor(t).do("GET", strings.Replace(local, ".ics", ".xml", 1), nil); got.status != 404 {
			t.Errorf("GET another name: %d, want 404", got.status)
		}
	}
	if got := guest.do("POST", guestRoot+"/link/signup", map[string]any{"name": secrets[0]}); got.status != 400 {
		t.Errorf("a sign-up that is none: %d, want 400", got.status)
	}

	bundle := filepath.Join(t.TempDir(), "bundle.json")
	if r := runCommand(t, i.environment, "", "support:bundle", "--", "--to", bundle); r.awaitExit(t) !=
		cli.ExitSuccess {
		t.Fatalf("support:bundle: %s", r.stderr.String())
	}
	collected, err := os.ReadFile(bundle)
	if err != nil {
		t.Fatal(err)
	}
	report, _ := examined(t, i.environment)
	const counted = "ok        Links for guests that work: calendar 4. Addresses for programs that work: 1 of " +
		"people, 1 of the house.\n" // of the event, of the member's mail, and the guest's two
	if !strings.Contains(report, counted) {
		t.Errorf("doctor says\n%s\nwant %q", report, counted)
	}
	var stored string
	if err := i.db.Pool(t).QueryRow(t.Context(), `
		SELECT string_agg(row, E'\n')
		FROM (
			SELECT l::text AS row FROM core.link l UNION ALL SELECT f::text FROM core.feed f
			UNION ALL SELECT entry FROM core.activity) AS rows`).Scan(&stored); err != nil {
		t.Fatal(err)
	}
	places := map[string]string{
		"the support bundle": string(collected), "doctor": report, "the database": stored,
		"the activity":        owner.do("GET", "/api/v1/activity", nil).body,
		"the module's output": owner.do("GET", "/api/v1/module-lifecycle/calendar/process", nil).body,
		"the log":             running.stdout.String() + running.stderr.String(),
	}
	for place, text := range places {
		if text == "" {
			t.Errorf("%s is empty", place)
		}
		for _, secret := range secrets {
			if strings.Contains(text, secret) {
				t.Errorf("%s has the secret %s", place, secret)
			}
		}
		for _, typed := range []string{"Marked Guest", "marked-guest@"} {
			if strings.Contains(text, typed) {
				t.Errorf("%s has %q", place, typed)
			}
		}
	}

	theirs := i.openLink(t, own)
	id := member.userID(t)
	owner.create(t, 200, "/api/v1/people/"+id+"/deactivate", struct{}{})
	if got := theirs.do("GET", guestRoot+"/link", nil); got.status != 404 ||
		got.body != `{"code":"LINK_NOT_FOUND"}` {
		t.Errorf("the link of a deactivated person: %d %s, want the one 404", got.status, got.body)
	}
	owner.create(t, 200, "/api/v1/people/"+id+"/reactivate", struct{}{})
	if got := theirs.do("GET", guestRoot+"/link", nil); got.status != 200 {
		t.Errorf("the link of one who is back: %d %s, want 200", got.status, got.body)
	}
	owner.create(t, 200, "/api/v1/people/"+id+"/deactivate", struct{}{})
	owner.create(t, 200, "/api/v1/people/"+id+"/erase", struct{}{})
	waittest.Until(t, "the link of an erased person ends", func() bool {
		got := theirs.do("GET", guestRoot+"/link", nil)
		return got.status == 404 && got.body == `{"code":"LINK_NOT_FOUND"}`
	})
}
