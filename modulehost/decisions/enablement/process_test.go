package enablement_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/modulehost/decisions/enablement"
)

// processes are the processes that this API process runs.
type processes map[string]enablement.Process

func (p processes) Process(moduleID string) (enablement.Process, bool) {
	found, runs := p[moduleID]
	return found, runs
}

// TestProcess checks the name of every figure, and that the figures of a module without a process are zero.
func TestProcess(t *testing.T) {
	t.Parallel()
	h := setup(t)
	at, status := time.Date(2026, 3, 1, 9, 0, 0, 5e6, time.UTC), 7
	h.processes = processes{
		"base": {
			State: "ready", Since: at, Starts: 3,
			LastEnd: &enablement.ProcessEnd{At: at.Add(-time.Second), Kind: "exit", Code: &status},
			Memory:  1, MemoryLimit: 2, HostMemory: 3, HostMemoryLimit: 4, CPU: 1500 * time.Millisecond,
			InFlight: 5, Waiting: 6, Requests: 7, Failures: 8,
		},
		"optional": {State: "restarting", Since: at, Starts: 1,
			LastEnd: &enablement.ProcessEnd{At: at, Kind: "deadline"}},
	}
	h.start(t, h.Pool(t))
	for id, want := range map[string]string{
		"base": `{"state":"ready","since":"2026-03-01T09:00:00.005Z","starts":3,` +
			`"lastEnd":{"at":"2026-03-01T08:59:59.005Z","kind":"exit","code":7},"memoryBytes":1,` +
			`"memoryLimitBytes":2,` +
			`"hostMemoryBytes":3,"hostMemoryLimitBytes":4,"cpuSeconds":1.5,"inFlight":5,"waiting":6,"requests":7,` +
			`"failures":8}`,
		"optional": `{"state":"restarting","since":"2026-03-01T09:00:00.005Z","starts":1,` +
			`"lastEnd":{"at":"2026-03-01T09:00:00.005Z","kind":"deadline","code":null},"memoryBytes":0,` +
			`"memoryLimitBytes":0,` +
			`"hostMemoryBytes":0,"hostMemoryLimitBytes":0,"cpuSeconds":0,"inFlight":0,"waiting":0,"requests":0,` +
			`"failures":0}`,
		"unset": `{"state":"absent","since":null,"starts":0,"lastEnd":null,"memoryBytes":0,"memoryLimitBytes":0,` +
			`"hostMemoryBytes":0,"hostMemoryLimitBytes":0,"cpuSeconds":0,"inFlight":0,"waiting":0,"requests":0,` +
			`"failures":0}`,
	} {
		w := h.send(t.Context(), http.MethodGet, path+"/"+id+"/process", "")
		if w.Code != http.StatusOK || w.Body.String() != want {
			t.Errorf("GET .../%s/process: %d %s, want 200 %s", id, w.Code, w.Body, want)
		}
	}
	wantCode(t, h.send(t.Context(), http.MethodGet, path+"/ghost/process", ""), http.StatusNotFound,
		"MODULE_NOT_INSTALLED")
}
