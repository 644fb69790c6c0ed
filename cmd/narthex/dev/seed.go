package dev

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"time"

	"github.com/go-json-experiment/json"
)

// sample is one notice of a new development installation.
type sample struct {
	Title    string  `json:"title"`
	Body     string  `json:"body"`
	StartsAt *string `json:"startsAt,omitempty"`
	EndsAt   *string `json:"endsAt,omitempty"`
	ImageID  string  `json:"imageId,omitempty"`
	Enabled  bool    `json:"enabled"`
}

// samples are the notices of the foyer, seen from now.
func samples(now time.Time) []sample {
	at := func(days int) *string {
		text := now.AddDate(0, 0, days).UTC().Format("2006-01-02T15:04:05.000Z")
		return &text
	}
	return []sample{
		{Title: "Welcome", Body: "Good that you are here. Coffee and tea are in the foyer after the service.",
			Enabled: true},
		{Title: "Shared lunch", Body: "Next Sunday after the service. Please bring something to share.",
			EndsAt: at(8), Enabled: true},
		{Title: "Choir practice", Body: "Thursday 19:00 in the hall. New voices are welcome.", Enabled: true},
		{Title: "Building fund", Body: "Two thirds of the new roof are paid for. Thank you!", StartsAt: at(-7),
			EndsAt: at(30), Enabled: true},
		{Title: "Spring cleaning", Body: "Many hands: Saturday from 9:00.", StartsAt: at(-21), EndsAt: at(-14),
			Enabled: true},
	}
}

// seed signs in as the owner and writes the samples through the module's own API, as a person would.
func seed(ctx context.Context, address, email, password string) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	jar, err := cookiejar.New(nil)
	if err != nil {
		return err
	}
	writer := seeder{client: &http.Client{Jar: jar}, address: address}
	defer writer.client.CloseIdleConnections()
	credentials := map[string]string{"email": email, "password": password}
	if err := writer.post(ctx, "/api/auth/sign-in/email", credentials, nil); err != nil {
		return err
	}
	all := samples(time.Now())
	if all[0].ImageID, err = writer.upload(ctx); err != nil {
		return err
	}
	for _, sample := range all {
		if err := writer.post(ctx, announcementsRoot+"/slides", sample, nil); err != nil {
			return err
		}
	}
	return writer.post(ctx, "/api/auth/sign-out", struct{}{}, nil)
}

const announcementsRoot = "/api/v1/modules/announcements"

// seeder is one signed-in caller.
type seeder struct {
	client  *http.Client
	address string
}

// upload sends the picture of the first notice and returns its id.
func (s *seeder) upload(ctx context.Context) (id string, err error) {
	content, err := welcomePicture()
	if err != nil {
		return "", err
	}
	var created struct{ ID string }
	err = s.send(ctx, announcementsRoot+"/images", "image/jpeg", content, &created)
	return created.ID, err
}

func (s *seeder) post(ctx context.Context, path string, value, result any) error {
	body, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return s.send(ctx, path, "application/json", body, result)
}

// send decodes the response unless answer is nil.
func (s *seeder) send(ctx context.Context, path, contentType string, body []byte, result any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.address+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", contentType)
	request.Header.Set("Origin", s.address)
	response, err := s.client.Do(request)
	if err != nil {
		return err
	}
	switch {
	case response.StatusCode >= http.StatusBadRequest:
		err = fmt.Errorf("POST %s: %s", path, response.Status)
	case result != nil:
		err = json.UnmarshalRead(response.Body, result, json.MatchCaseInsensitiveNames(true))
	}
	return errors.Join(err, response.Body.Close())
}
