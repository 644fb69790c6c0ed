package e2e

import (
	"encoding/xml"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestNoticesInAReader: the notices follow the rules of RFC 4287, and a library that many readers of news use
// shows each with its lines and signs, and nothing of it as a tag. A feed that has not changed is not sent
// again.
func TestNoticesInAReader(t *testing.T) {
	t.Parallel()
	const python = "/usr/bin/python3" // Debian's
	if exec.CommandContext(t.Context(), python, "-c", "import feedparser").Run() != nil {
		t.Skip("feedparser is not installed: apt-get install python3-feedparser")
	}
	i := install(t, "announcements")
	i.db.Exec(t, `UPDATE core.house SET name = 'St. Mary & All', language = 'de', rev = rev + 1`)
	i.start(t)
	owner := i.signIn(t, ownerAddress, ownerPassword)
	url := owner.create(t, 201, "/api/v1/feeds", object{"moduleId": "announcements", "path": "/notices.atom",
		"label": "Reader"})["url"].(string)
	_, path, _ := strings.Cut(url, i.address)
	file := filepath.Join(t.TempDir(), "feed.xml")
	shows := func(body string) string {
		t.Helper()
		if err := os.WriteFile(file, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
		output, err := exec.CommandContext(t.Context(), python, "testdata/feeds/read.py", file).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, output)
		}
		return string(output)
	}
	empty := i.visitor(t).do("GET", path, nil)
	assertAtom(t, empty.body, 0)
	const nothing = "atom10 St. Mary & All de 1970-01-01T00:00:00Z St. Mary & All\n"
	if got := shows(empty.body); got != nothing {
		t.Errorf("without notices it shows\n%s\nwant\n%s", got, nothing)
	}
	tea := owner.create(t, 201, "/api/v1/modules/announcements/slides", object{"title": "Tea & <b>cake</b> 🎂",
		"body":    "At 3, in the <hall> & garden.\nBring a \"cup\".\n\nSüßes: <script>alert(1)</script>",
		"enabled": true})["id"].(string)
	known := i.visitorWithHeader(t, "If-None-Match", empty.header.Get("Etag"))
	got := known.do("GET", path, nil)
	if got.status != 200 || got.header.Get("Content-Type") != "application/atom+xml; charset=utf-8" {
		t.Fatalf("GET a feed that has changed: %d %v", got.status, got.header)
	}
	assertAtom(t, got.body, 1)
	_, entries, _ := strings.Cut(shows(got.body), "\n")
	if want := "urn:uuid:" + tea + " text/plain Tea & <b>cake</b> 🎂\n" +
		"  text/html <p>At 3, in the &lt;hall&gt; &amp; garden.<br />Bring a \"cup\".</p>" +
		"<p>Süßes: &lt;script&gt;alert(1)&lt;/script&gt;</p>\n"; entries != want {
		t.Errorf("it shows\n%s\nwant\n%s", entries, want)
	}
	known = i.visitorWithHeader(t, "If-None-Match", got.header.Get("Etag"))
	if again := known.do("GET", path, nil); again.status != 304 || again.body != "" {
		t.Errorf("GET a known feed: %d %q, want 304", again.status, again.body)
	}
}

// assertAtom checks what RFC 4287 requires of a feed and its entries.
func assertAtom(t *testing.T, body string, entries int) {
	t.Helper()
	type common struct {
		ID      []string `xml:"id"`
		Title   []string `xml:"title"`
		Updated []string `xml:"updated"`
		Authors []string `xml:"author>name"`
	}
	var feed struct {
		XMLName xml.Name `xml:"http://www.w3.org/2005/Atom feed"`
		common
		Entries []struct {
			common
			Content []struct {
				Type string `xml:"type,attr"`
			} `xml:"content"`
		} `xml:"entry"`
	}
	if err := xml.Unmarshal([]byte(body), &feed); err != nil {
		t.Fatalf("%v in\n%s", err, body)
	}
	all := []common{feed.common}
	for _, e := range feed.Entries {
		all = append(all, e.common)
		if len(e.Content) != 1 || e.Content[0].Type != "html" {
			t.Errorf("an entry has the content %v, want one of HTML, because it has no link", e.Content)
		}
	}
	seen := map[string]bool{}
	for _, c := range all {
		if len(c.ID) != 1 || len(c.Title) != 1 || len(c.Updated) != 1 || seen[c.ID[0]] ||
			!strings.HasPrefix(c.ID[0], "urn:uuid:") {
			t.Errorf("%+v, want one id that nothing else has, one title, one date", c)
			continue
		}
		seen[c.ID[0]] = true
		if at, err := time.Parse(time.RFC3339, c.Updated[0]); err != nil || at.Year() < 1970 {
			t.Errorf("%q, want a date that every program takes", c.Updated)
		}
	}
	if len(feed.Authors) != 1 || len(feed.Entries) != entries {
		t.Errorf("authors %v, %d entries; want one and %d", feed.Authors, len(feed.Entries), entries)
	}
}
