package e2e

import (
	"maps"
	"net/http"
	"strconv"
	"testing"

	"github.com/narthex-platform/narthex/services/porttest"
)

// TestManyPlatformsOnOneMachine: the kernel counts the threads of a user for the whole machine, so modules of
// different platforms must not share a user.
func TestManyPlatformsOnOneMachine(t *testing.T) {
	if testing.Short() {
		t.Skip("15 platforms")
	}
	t.Parallel()
	first := install(t, "base", "tail")
	for range 14 {
		port := strconv.Itoa(porttest.Free(t))
		one := &installation{db: first.db, address: "http://localhost:" + port,
			environment: maps.Clone(first.environment)}
		one.environment["SERVICE_API_PORT"] = port
		one.environment["SERVICE_IDENTITY_BASE_URL"] = one.address
		one.start(t)
		response, err := one.visitor(t).client.Get(one.address + "/api/v1/health/ready")
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusOK {
			t.Errorf("GET /api/v1/health/ready: %d, want %d", response.StatusCode, http.StatusOK)
		}
	}
}
