package main

import (
	"cmp"
	"context"
	"encoding/xml"
	"net/http"
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
	ID        string `xml:"id"`
	Title     string `xml:"title"`
	Published string `xml:"published"`
	Updated   string `xml:"updated"`
	Content   string `xml:"content"`
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
	var updated time.Time
	for _, n := range all {
		if n.Changed.After(updated) {
			updated = n.Changed
		}
		feed.Entries = append(feed.Entries, atomEntry{"urn:uuid:" + n.ID, n.Title, atomTime(n.Since),
			atomTime(n.Changed), n.Body})
	}
	feed.Updated = atomTime(updated)
	text, err := xml.Marshal(feed)
	return append([]byte(xml.Header), text...), err
}

func atomTime(at time.Time) string { return at.UTC().Format(time.RFC3339) }
