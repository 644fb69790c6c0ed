package house

import (
	"context"
	"net/http"
	"slices"

	"github.com/narthex-platform/narthex/services/activity/chain"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/store"
)

const (
	manageHouse = "core.house.manage"
	path        = "/api/v1/house"
	maxBody     = 16 << 10 // bytes
	maxName     = 80       // characters
)

// Routes is the house's part of the route table.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		{Method: "GET", Path: path, Handle: s.show},
		{
			Method: "PUT", Path: path,
			Origin: httpapi.TrustedOrigin,
			Body:   httpapi.WholeBody, MaxBody: maxBody,
			Permission: manageHouse,
			Handle:     s.replace,
		},
		{Method: "GET", Path: path + "/backup", Permission: manageHouse, Handle: s.backup},
	}
}

// show is GET /api/v1/house, for everybody.
func (s *Service) show(c *httpapi.Call) error { return c.JSON(http.StatusOK, s.Current()) }

// replace is PUT /api/v1/house. The response is the written house; another write may already have changed it.
// After a 503 the client does not know whether the house was changed.
func (s *Service) replace(c *httpapi.Call) error {
	sent, err := httpapi.DecodeNullable[House](c, "name")
	if err != nil {
		return err
	}
	if !sent.valid() {
		return httpapi.ErrRequest
	}
	ctx, cancel := store.Detached(c.Request.Context(), store.Patience)
	defer cancel()
	written, err := s.store.replace(ctx, chain.Person(c.UserID()), sent)
	if err != nil {
		return err
	}
	s.keep(written)
	return c.JSON(http.StatusOK, written.house)
}

func (h House) valid() bool {
	return (h.Name == nil || httpapi.IsName(*h.Name, maxName)) &&
		slices.Contains(accents, h.Accent) && slices.Contains(languages, h.Language)
}

// backup is GET /api/v1/house/backup. It returns the latest verification; both members are null before the
// first one.
func (s *Service) backup(c *httpapi.Call) error {
	ctx, cancel := store.Detached(c.Request.Context(), store.Patience)
	defer cancel()
	run, err := s.store.LastBackup(ctx)
	if err != nil {
		return err
	}
	var result struct {
		LastVerifiedAt *string `json:"lastVerifiedAt"`
		Verdict        *string `json:"verdict"` // null: the backup was valid
	}
	if !run.VerifiedAt.IsZero() {
		at := httpapi.Time(run.VerifiedAt)
		result.LastVerifiedAt, result.Verdict = &at, run.Verdict
	}
	return c.JSON(http.StatusOK, result)
}

// LastBackup is Store.LastBackup.
func (s *Service) LastBackup(ctx context.Context) (BackupRun, error) { return s.store.LastBackup(ctx) }
