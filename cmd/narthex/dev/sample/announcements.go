package sample

import (
	"context"
	"net/http"
)

// notice is a slide of the board, as POST /slides expects it.
type notice struct {
	Kind     string  `json:"kind,omitempty"` // "": announcements' own
	Title    string  `json:"title"`
	Body     string  `json:"body"`
	Payload  any     `json:"payload,omitempty"` // for a slide of another kind
	StartsAt *string `json:"startsAt,omitempty"`
	EndsAt   *string `json:"endsAt,omitempty"`
	ImageID  string  `json:"imageId,omitempty"`
	Enabled  bool    `json:"enabled"`
}

// announcements writes the notices of a foyer. One has a picture, and one has expired.
func announcements(ctx context.Context, c *caller) error {
	picture, err := welcomePicture()
	if err != nil {
		return err
	}
	var image struct {
		ID string `json:"id"`
	}
	if err := c.send(ctx, http.MethodPost, "/images", "image/jpeg", picture, &image); err != nil {
		return err
	}
	for _, notice := range []notice{
		{Title: "Welcome", Body: "Good that you are here. Coffee and tea are in the foyer after the service.",
			ImageID: image.ID, Enabled: true},
		{Title: "Shared lunch", Body: "Next Sunday after the service. Please bring something to share.",
			EndsAt: c.inDays(8), Enabled: true},
		{Title: "Choir practice", Body: "Thursday 19:00 in the hall. New voices are welcome.", Enabled: true},
		{Title: "Building fund", Body: "Two thirds of the new roof are paid for. Thank you!",
			StartsAt: c.inDays(-7), EndsAt: c.inDays(30), Enabled: true},
		{Title: "Spring cleaning", Body: "Many hands: Saturday from 9:00.", StartsAt: c.inDays(-21),
			EndsAt: c.inDays(-14), Enabled: true},
	} {
		if err := c.json(ctx, http.MethodPost, "/slides", notice, nil); err != nil {
			return err
		}
	}
	return nil
}
