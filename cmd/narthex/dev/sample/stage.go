package sample

import (
	"context"
	"net/http"
)

// stage plans the coming services with their orders.
func stage(ctx context.Context, c *caller) error {
	if err := c.send(ctx, http.MethodPost, "/songs/import", "text/plain", []byte(hymns), nil); err != nil {
		return err
	}
	var listed struct {
		Songs []struct {
			ID    string `json:"id"`
			Title string `json:"title"`
		} `json:"songs"`
	}
	if err := c.send(ctx, http.MethodGet, "/songs", "", nil, &listed); err != nil {
		return err
	}
	songs := make(map[string]*string)
	for _, song := range listed.Songs {
		songs[song.Title] = &song.ID
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
