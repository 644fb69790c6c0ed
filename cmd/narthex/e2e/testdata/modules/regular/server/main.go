// Command regular is a module for tests: it has a schedule, whose behaviour a table sets, and requests names
// of people.
package main

import (
	"context"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

type regular struct{ host *sdk.Host }

func main() { sdk.Serve(&regular{}) }

// Register declares the schedule and a route.
func (m *regular) Register(r *sdk.Registry) error {
	r.Every("work", time.Hour, m.work)
	r.HandleFunc("GET /names", "regular.read", sdk.NoBody, m.names)
	return nil
}

// Start keeps the host.
func (m *regular) Start(_ context.Context, h *sdk.Host) error {
	m.host = h
	return nil
}

// Stop does nothing.
func (m *regular) Stop(context.Context) error { return nil }

// work records its beginning and its end.
func (m *regular) work(ctx context.Context) error {
	var id int64
	err := m.host.DB.QueryRow(ctx, `INSERT INTO runs (pid) VALUES ($1) RETURNING id`, os.Getpid()).Scan(&id)
	if err != nil {
		return err
	}
	var behaviour string
	if err := m.host.DB.QueryRow(ctx, `SELECT name FROM behaviour`).Scan(&behaviour); err != nil {
		return err
	}
	switch behaviour {
	case "hangs":
		<-ctx.Done()
		return ctx.Err()
	case "lasts": // long enough for another process to look for due runs
		select {
		case <-time.After(4 * time.Second):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	_, err = m.host.DB.Exec(ctx, `UPDATE runs SET ended = clock_timestamp() WHERE id = $1`, id)
	return err
}

func (m *regular) names(ctx context.Context, r *http.Request) (any, error) {
	return m.host.People.Names(ctx, strings.Split(r.URL.Query().Get("ids"), ","))
}
