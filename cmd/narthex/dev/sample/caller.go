package sample

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"
)

// caller is a signed-in person who calls the routes below a root path.
type caller struct {
	client  *http.Client
	address string
	root    string // of a module
	now     time.Time
}

// of returns a caller for the routes of a module.
func (c *caller) of(module string) *caller {
	other := *c
	other.root = "/api/v1/modules/" + module
	return &other
}

// inDays returns an hour of the day in so many days, in the format of the routes.
func (c *caller) inDays(days, hour int) *string {
	return timestamp(time.Date(c.now.Year(), c.now.Month(), c.now.Day()+days, hour, 0, 0, 0, c.now.Location()))
}

func timestamp(at time.Time) *string {
	text := at.UTC().Format("2006-01-02T15:04:05.000Z")
	return &text
}

// json sends a value as JSON and decodes the response into result, unless that is nil.
func (c *caller) json(ctx context.Context, method, route string, value, result any) error {
	body, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return c.send(ctx, method, route, "application/json", body, result)
}

// send sends content of any type, for example text/csv or image/jpeg, and decodes the response into result,
// unless that is nil.
func (c *caller) send(
	ctx context.Context, method, route, contentType string, content []byte, result any,
) error {
	request, err := http.NewRequestWithContext(ctx, method, c.address+c.root+route, bytes.NewReader(content))
	if err != nil {
		return err
	}
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	request.Header.Set("Origin", c.address)
	response, err := c.client.Do(request)
	if err != nil {
		return err
	}
	switch {
	case response.StatusCode >= http.StatusBadRequest:
		said, _ := io.ReadAll(io.LimitReader(response.Body, 1<<10)) // for the error message; a part is enough
		err = fmt.Errorf("%s %s: %s %s", method, c.root+route, response.Status, said)
	case result != nil:
		if err = json.UnmarshalRead(response.Body, result); err != nil {
			err = fmt.Errorf("%s %s: %w", method, c.root+route, err)
		}
	}
	return errors.Join(err, response.Body.Close())
}
