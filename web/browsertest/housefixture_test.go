package browsertest

import (
	"encoding/json"
	"io"
	"net/http"
	"testing"
)

// houseFixture replaces the platform's routes for the house.
type houseFixture struct {
	*modulesFixture
	stored string // the stored document
	backup string
	sent   string // the body of the last write
	status int    // the status of every write, if they are refused
	code   string
}

func newHouseFixture(t *testing.T, h *fixture) *houseFixture {
	t.Helper()
	k := &houseFixture{
		modulesFixture: setModulesFixture(t, h),
		stored:         `{"name":"Hill Street Church","accent":"copper","language":"en","timeZone":null,"rev":1}`,
		backup:         `{"lastVerifiedAt":"2026-11-15T03:04:05.000Z","verdict":null}`,
	}
	k.handle("GET /api/v1/house", func(w http.ResponseWriter, _ *http.Request) {
		k.mu.Lock()
		defer k.mu.Unlock()
		reply(w, 200, k.stored)
	})
	k.handle("GET /api/v1/house/backup", func(w http.ResponseWriter, _ *http.Request) {
		k.mu.Lock()
		defer k.mu.Unlock()
		reply(w, 200, k.backup)
	})
	k.handle("PUT /api/v1/house", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		k.mu.Lock()
		defer k.mu.Unlock()
		k.sent = string(body)
		if k.status != 0 {
			reply(w, k.status, `{"code":"`+k.code+`"}`)
			return
		}
		var document object
		if err := json.Unmarshal(body, &document); err != nil {
			k.t.Error(err)
			return
		}
		document["rev"] = document["rev"].(float64) + 1
		written, _ := json.Marshal(document)
		k.stored = string(written)
		reply(w, 200, k.stored)
	})
	return k
}
