package sample

import (
	"context"
	"net/http"
	"strings"
)

// stage plans the coming services with their orders.
func stage(ctx context.Context, c *caller) error {
	songs := make(map[string]*string)
	for _, one := range songsIn(hymns) {
		var added struct {
			ID string `json:"id"`
		}
		if err := c.json(ctx, http.MethodPost, "/songs", one, &added); err != nil {
			return err
		}
		songs[one.Title] = &added.ID
	}
	for _, g := range gatherings(c.now) {
		service := map[string]any{"title": g.title, "startsAt": timestamp(g.at)}
		var created struct {
			ID string `json:"id"`
		}
		if err := c.json(ctx, http.MethodPost, "/services", service, &created); err != nil {
			return err
		}
		for _, item := range g.order {
			item.SongID = songs[item.song]
			if err := c.json(ctx, http.MethodPost, "/services/"+created.ID+"/items", item, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

type stageSong struct {
	Title    string         `json:"title"`
	Credit   string         `json:"credit"`
	Sections []stageSection `json:"sections"`
}

type stageSection struct {
	Label string `json:"label"`
	Text  string `json:"text"`
}

// songsIn reads the songs of hymns: a title, an author in parentheses, and sections, each below its name in
// brackets. They are added one by one: an import could be undone, and would be offered for that.
func songsIn(text string) (songs []stageSong) {
	for part := range strings.SplitSeq(text, "\n---\n") {
		head, rest, _ := strings.Cut(strings.TrimSpace(part), "\n\n")
		title, author, _ := strings.Cut(head, "\n")
		song := stageSong{Title: title, Credit: strings.Trim(author, "()")}
		for section := range strings.SplitSeq(rest, "\n\n") {
			label, words, _ := strings.Cut(strings.TrimSpace(section), "\n")
			song.Sections = append(song.Sections, stageSection{strings.Trim(label, "[]"), words})
		}
		songs = append(songs, song)
	}
	return songs
}
