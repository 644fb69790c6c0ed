package storage_test

import (
	"testing"

	"github.com/narthex-platform/narthex/storage"
	"github.com/narthex-platform/narthex/storage/storagetest"
	"github.com/narthex-platform/narthex/supervisor/setting"
)

// TestProbePutsGetsAndDeletes checks the probe against a real server: with the right credentials, which leave
// no object behind, with a wrong one, and without a server.
func TestProbePutsGetsAndDeletes(t *testing.T) {
	server := storagetest.New(t)
	provider := open(t, server.Settings)
	if err := provider.Probe(t.Context()); err != nil {
		t.Errorf("probe of a sound service: error %v, want none", err)
	}
	page, err := provider.Bucket("core", "doctor").List(t.Context(), "", "", 10)
	if err != nil || len(page.Objects) != 0 {
		t.Errorf("after a probe: objects %v and error %v, want none", keys(page), err)
	}
	refused := server.Settings
	refused.SecretKey = setting.NewSecret("m4rked")
	wantCode(t, open(t, refused).Probe(t.Context()), storage.ErrAccessDenied)
	server.Stop()
	wantCode(t, open(t, server.Settings).Probe(t.Context()), storage.ErrUnavailable)
}
