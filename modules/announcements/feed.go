package main

import (
	"cmp"
	"context"
	"encoding/xml"
	"html"
	"net/http"
	"strings"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// maxFeed is how many notices programs that read news get, the newest first.
const maxFeed = 50

// atomFeed is the board for programs that read news (RFC 4287).
type atomFeed struct {
	XMLName  xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	Language string      `xml:"xml:lang,attr"`
	ID       string      `xml:"id"`
	Title    string      `xml:"title"`
	Updated  string      `xml:"updated"`
	Author   string      `xml:"author>name"`
	Entries  []atomEntry `xml:"entry"`
}

type atomEntry struct {
	ID        string   `xml:"id"`
	Title     string   `xml:"title"`
	Published string   `xml:"published"`
	Updated   string   `xml:"updated"`
	Content   atomHTML `xml:"content"`
}

// atomHTML is a text as HTML: some programs take all content as that, and lose the ends of lines and what
// looks like a tag.
type atomHTML struct {
	Type string `xml:"type,attr"`
	HTML string `xml:",chardata"`
}

// news is a notice that is on the board now. Since is when it came onto it.
type news struct {
	ID, Title, Body string
	Since, Changed  time.Time
}

// feed is what is on the board now, without pictures: these have addresses for a few minutes.
func (a *announcements) feed(ctx context.Context, r *http.Request) ([]byte, error) {
	if _, err := sdk.Query(r); err != nil {
		return nil, err
	}
	house, err := a.host.House(ctx)
	if err != nil {
		return nil, err
	}
	var id string
	var all []news
	err = sdk.Read(ctx, a.store.db,
		sdk.RowInto([]any{&id}, `SELECT feed_id::text FROM board`),
		sdk.SelectInto(&all, `
			SELECT id::text, title, body, greatest(created_at, starts_at),
				greatest(created_at, starts_at, changed_at)
			FROM slides
			WHERE kind = $1 AND enabled AND (starts_at IS NULL OR starts_at <= now())
				AND (ends_at IS NULL OR ends_at > now())
			ORDER BY greatest(created_at, starts_at) DESC, position DESC, id
			LIMIT $2`, ownKind, maxFeed))
	if err != nil {
		return nil, err
	}
	name := cmp.Or(house.Name, "Narthex")
	feed := atomFeed{Language: house.Language, ID: "urn:uuid:" + id, Title: name, Author: name}
	updated := time.Unix(0, 0) // a feed without entries needs a date, too, and is the same at each look
	for _, n := range all {
		if n.Changed.After(updated) {
			updated = n.Changed
		}
		feed.Entries = append(feed.Entries, atomEntry{"urn:uuid:" + n.ID, n.Title, atomTime(n.Since),
			atomTime(n.Changed), atomHTML{"html", paragraphs(n.Body)}})
	}
	feed.Updated = atomTime(updated)
	text, err := xml.Marshal(feed)
	return append([]byte(xml.Header), text...), err
}

// paragraphs returns a text as HTML, with a paragraph wherever it has an empty line.
func paragraphs(text string) string {
	var written strings.Builder
	for part := range strings.SplitSeq(strings.ReplaceAll(text, "\r\n", "\n"), "\n\n") {
		if part = strings.Trim(part, "\n"); part != "" {
			written.WriteString("<p>" + strings.ReplaceAll(html.EscapeString(part), "\n", "<br>") + "</p>")
		}
	}
	return written.String()
}

func atomTime(at time.Time) string { return at.UTC().Format(time.RFC3339) }
