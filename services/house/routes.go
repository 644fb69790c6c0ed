package house

import (
	"context"
	"net/http"
	"slices"

	"github.com/narthex-platform/narthex/services/activity/chain"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/store"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
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
func (s *Service) show(c *httpapi.Call) error { return c.JSON(http.StatusOK, s.current().shown()) }

// shownHouse is the house as JSON. rev counts its changes.
type shownHouse struct {
	House
	Rev int64 `json:"rev"`
}

func (s state) shown() shownHouse { return shownHouse{s.house, s.rev} }

// replaceBody is the body of PUT /api/v1/house: the whole house, and the revision that it replaces.
type replaceBody struct {
	Name     *string `json:"name"`
	Accent   string  `json:"accent"`
	Language string  `json:"language"`
	TimeZone *string `json:"timeZone"`

	SecondFactor string `json:"secondFactor"`
	Rev          *int64 `json:"rev,omitzero"` // nil: whichever is stored
}

// replace is PUT /api/v1/house. The response is the written house; another write may already have changed it.
// It fails with CONFLICT when the house was changed since the revision in the body. After a 503 the client
// does not know whether the house was changed.
func (s *Service) replace(c *httpapi.Call) error {
	sent, err := httpapi.DecodeNullable[replaceBody](c, "name", "timeZone")
	if err != nil {
		return err
	}
	wanted := House{sent.Name, sent.Accent, sent.Language, sent.TimeZone, sent.SecondFactor}
	if !wanted.valid() {
		return httpapi.ErrRequest
	}
	ctx, cancel := store.Detached(c.Request.Context(), deadlines.Store)
	defer cancel()
	written, err := s.store.replace(ctx, chain.Person(c.UserID()), wanted, sent.Rev)
	if err != nil {
		return err
	}
	s.keep(written)
	return c.JSON(http.StatusOK, written.shown())
}

func (h House) valid() bool {
	return (h.Name == nil || httpapi.IsName(*h.Name, maxName)) &&
		slices.Contains(accents, h.Accent) && slices.Contains(languages, h.Language) &&
		slices.Contains(factors, h.SecondFactor) &&
		(h.TimeZone == nil || isZone(*h.TimeZone))
}

// backup is GET /api/v1/house/backup. It returns the latest verification; both members are null before the
// first one.
func (s *Service) backup(c *httpapi.Call) error {
	ctx, cancel := store.Detached(c.Request.Context(), deadlines.Store)
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
