package people

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/narthex-platform/narthex/services/activity/chain"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/ratelimit"
)

// exportRule is how often one client may ask for data: an export reads much and calls every module.
var exportRule = ratelimit.Rule{Window: time.Minute, Max: 10}

// askedAtOnce limits how many modules are called for their part at the same time.
const askedAtOnce = 4

// Export is all stored data about a person.
type Export struct {
	ExportedAt string                    `json:"exportedAt"`
	Core       jsontext.Value            `json:"core"`
	Modules    map[string]jsontext.Value `json:"modules"`
	// Missing are the modules whose data is not included, because their export failed or took too long.
	Missing []string `json:"missing"`
}

// Exporters are the modules of this process that export data about people.
type Exporters interface {
	// Exporting returns their ids.
	Exporting() []string
	// Export returns a module's part.
	Export(ctx context.Context, moduleID, userID string) (jsontext.Value, error)
}

// export is GET /api/v1/account/export. One export is made at a time, because it can be large.
func (s *Service) export(c *httpapi.Call) error {
	select {
	case s.exporting <- struct{}{}:
		defer func() { <-s.exporting }()
	default:
		return tooMany{busyFor}
	}
	userID := c.UserID()
	made, err := MakeExport(c.Request.Context(), s.store, s.exporters, chain.Person(userID), userID)
	if err != nil {
		return err
	}
	c.Writer.Header().Set("Content-Disposition", `attachment; filename="narthex-data.json"`)
	return c.JSON(http.StatusOK, made)
}

// MakeExport collects the data that Core and each running module store about a person, and records in the
// activity who requested it. Codes: USER_NOT_FOUND, PERSON_ERASED, STORE_UNAVAILABLE.
func MakeExport(
	ctx context.Context, store *Store, modules Exporters, by chain.Actor, userID string,
) (Export, error) {
	if !isID(userID) {
		return Export{}, ErrUserNotFound
	}
	core, at, err := store.export(ctx, by, userID)
	if err != nil {
		return Export{}, err
	}
	made := Export{
		ExportedAt: httpapi.Time(at), Core: core, Modules: map[string]jsontext.Value{}, Missing: []string{},
	}
	made.collect(ctx, modules, userID)
	return made, nil
}

// collect calls the modules for their parts, several at once.
func (e *Export) collect(ctx context.Context, modules Exporters, userID string) {
	var mu sync.Mutex
	var asking sync.WaitGroup
	places := make(chan struct{}, askedAtOnce)
	for _, moduleID := range modules.Exporting() {
		places <- struct{}{}
		asking.Go(func() {
			defer func() { <-places }()
			part, err := modules.Export(ctx, moduleID, userID)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				e.Missing = append(e.Missing, moduleID)
				return
			}
			e.Modules[moduleID] = part
		})
	}
	asking.Wait()
	slices.Sort(e.Missing)
}
