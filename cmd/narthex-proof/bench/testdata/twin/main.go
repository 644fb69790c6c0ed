// Command twin does in Go what the script beside it does.
package main

import (
	"context"
	"net/http"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

type twin struct{ host *sdk.Host }

func main() { sdk.Serve(&twin{}) }

type row struct {
	ID    int64  `json:"id"`
	Title string `json:"title"`
	Done  bool   `json:"done"`
}

// Register declares a route with one query, and one with 64 KiB of JSON.
func (t *twin) Register(r *sdk.Registry) error {
	r.HandleFunc("GET /query", "twin.use", sdk.NoBody, func(ctx context.Context, _ *http.Request) (any, error) {
		return sdk.Select[row](ctx, t.host.DB, `SELECT id, title, done FROM twins ORDER BY id LIMIT 20`)
	})
	r.HandleFunc("GET /list", "twin.use", sdk.NoBody, func(context.Context, *http.Request) (any, error) {
		rows := make([]row, 1100)
		for n := range rows {
			rows[n] = row{int64(n), "The title of a row, in JSON", n%2 == 0}
		}
		return rows, nil
	})
	return nil
}

// Start keeps the host, which has the database.
func (t *twin) Start(_ context.Context, host *sdk.Host) error {
	t.host = host
	return nil
}

// Stop does nothing.
func (*twin) Stop(context.Context) error { return nil }
