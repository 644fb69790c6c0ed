package enablement_test

import (
	"bytes"
	"context"
	"debug/elf"
	"encoding/binary"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/enablement"
	"github.com/narthex-platform/narthex/services/httpapi"
)

func TestMain(m *testing.M) { databasetest.Main(m) }

const path = "/api/v1/module-lifecycle"

// manifests are the installed modules: what follows id, name and version.
var manifests = map[string]string{
	"base":          `"provides": [{"capability": "base.thing", "version": "1.0.0"}]`,
	"by-module":     `"dependencies": {"required": [{"kind": "module", "id": "base", "range": "*"}]}`,
	"by-capability": `"dependencies": {"required": [{"kind": "capability", "id": "base.thing", "range": "*"}]}`,
	"chained": `"dependencies": {"required": [{"kind": "module", "id": "by-module", "range": "*"}],
		"optional": [{"kind": "capability", "id": "ghost.thing", "range": "*"}, {"kind": "module", "id": "base", "range": "*"}]}`,
	"optional":  `"dependencies": {"optional": [{"kind": "module", "id": "base", "range": "*"}, {"kind": "module", "id": "by-module", "range": ">=2"}]}`,
	"unset":     `"entrypoints": {"server": "bin/server"}, "configuration": [{"key": "title", "type": "string", "required": true}]`,
	"secretive": `"entrypoints": {"server": "bin/server"}, "configuration": [{"key": "apiToken", "type": "secret", "required": true}]`,
	"misset":    `"entrypoints": {"server": "bin/server"}, "configuration": [{"key": "size", "type": "integer", "minimum": 1}]`,
	"stored":    `"entrypoints": {"server": "bin/server"}, "storage": {"buckets": ["images"]}`,
}

// house is one process over a database of its own.
type house struct {
	*databasetest.DB
	installed *catalog.Catalog
	store     *enablement.Store
	service   *enablement.Service
}

func setup(t testing.TB) *house {
	t.Helper()
	db := databasetest.New(t)
	h := &house{DB: db, installed: discover(t)}
	h.start(t, db.Pool(t))
	return h
}

// start is a process's start, with what is stored now.
func (h *house) start(t testing.TB, pool *pgxpool.Pool) {
	t.Helper()
	h.store = enablement.NewStore(pool)
	started, err := h.Resolve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	h.serve(started)
}

func (h *house) serve(started catalog.Resolution) {
	h.service = enablement.New(enablement.Config{Catalog: h.installed, Started: started, Resolver: h, Store: h.store})
}

// Resolve makes the house its own resolver: no secret and no storage is supplied, and each module's size is configured to be 0.
func (h *house) Resolve(ctx context.Context) (catalog.Resolution, error) {
	decisions, err := h.store.Decisions(ctx)
	if err != nil {
		return catalog.Resolution{}, err
	}
	return h.installed.Resolve(catalog.State{
		Enabled: decisions.Enabled,
		Stored:  func(string) map[string]string { return map[string]string{"size": "0"} },
	}), nil
}

func discover(t testing.TB) *catalog.Catalog {
	t.Helper()
	dir := t.TempDir()
	for id, more := range manifests {
		folder := filepath.Join(dir, id)
		write(t, filepath.Join(folder, "module.json"), []byte(`{"manifestVersion": 7, "id": "`+id+`", "name": "The `+id+`", "version": "1.0.0",
			"compatibility": {"platform": "*", "moduleSdk": "*"}, `+more+`}`))
		if strings.Contains(more, "bin/server") {
			write(t, filepath.Join(folder, "bin", "server"), executable(t))
		}
	}
	installed, err := catalog.Discover(dir, true, "0.1.2")
	if err != nil {
		t.Fatal(err)
	}
	return installed
}

func write(t testing.TB, path string, content []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o755); err != nil {
		t.Fatal(err)
	}
}

// executable is the least that counts as a static executable of this machine.
func executable(t testing.TB) []byte {
	t.Helper()
	machine := map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}[runtime.GOARCH]
	if machine == elf.EM_NONE {
		t.Skip("no executable for this machine at hand")
	}
	header := elf.Header64{Type: uint16(elf.ET_EXEC), Machine: uint16(machine), Version: uint32(elf.EV_CURRENT), Phoff: 64, Ehsize: 64, Phentsize: 56, Phnum: 1}
	copy(header.Ident[:], elf.ELFMAG)
	header.Ident[elf.EI_CLASS], header.Ident[elf.EI_DATA] = byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB)
	var out bytes.Buffer
	for _, part := range []any{header, elf.Prog64{Type: uint32(elf.PT_LOAD)}} {
		if err := binary.Write(&out, binary.LittleEndian, part); err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}

// send runs a request as the pipeline does behind its gates: body limit, handler, error.
func (h *house) send(ctx context.Context, method, target, body string) *httptest.ResponseRecorder {
	w, r := httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, method, target, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	for _, route := range h.service.Routes() {
		before, after, _ := strings.Cut(route.Path, "{id}")
		id, ok := strings.CutPrefix(target, before)
		id, fits := strings.CutSuffix(id, after)
		if !ok || !fits || route.Method != method || strings.Contains(id, "/") {
			continue
		}
		c := &httpapi.Call{Writer: w, Request: r, MaxBody: route.MaxBody, Parameter: func(string) string { return id }}
		var err error
		if route.Body == httpapi.WholeBody {
			c.Body, err = httpapi.ReadBody(w, r, route.MaxBody)
		}
		if err == nil {
			err = route.Handle(c)
		}
		if err != nil {
			httpapi.WriteError(w, err)
		}
		return w
	}
	httpapi.WriteError(w, httpapi.ErrNotFound)
	return w
}

// decide answers what the platform says to a decision.
func (h *house) decide(t testing.TB, moduleID string, enabled string) *httptest.ResponseRecorder {
	t.Helper()
	return h.send(t.Context(), http.MethodPut, path+"/"+moduleID+"/enabled", `{"enabled":`+enabled+`}`)
}

type entry struct {
	ID         string `json:"id"`
	Configured struct {
		Enabled  bool `json:"enabled"`
		Explicit bool `json:"explicit"`
	} `json:"configured"`
	Runtime struct {
		State string `json:"state"`
	} `json:"runtime"`
	RestartRequired bool `json:"restartRequired"`
}

func decode[T any](t testing.TB, w *httptest.ResponseRecorder) (into T) {
	t.Helper()
	if w.Code != http.StatusOK {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), &into); err != nil {
		t.Fatalf("%s: %v", w.Body, err)
	}
	return into
}

// changed are the modules that the next start would run otherwise, by id.
func (h *house) changed(t testing.TB) (ids []string) {
	t.Helper()
	list := decode[struct {
		Modules []entry `json:"modules"`
	}](t, h.send(t.Context(), http.MethodGet, path, ""))
	for _, e := range list.Modules {
		if e.RestartRequired {
			ids = append(ids, e.ID)
		}
	}
	return ids
}

func wantCode(t testing.TB, w *httptest.ResponseRecorder, status int, code string) {
	t.Helper()
	if w.Code != status || w.Body.String() != `{"code":"`+code+`"}` {
		t.Errorf("got %d %s, want %d %s", w.Code, w.Body, status, code)
	}
}

// rows are the stored decisions as text.
func (h *house) rows(t testing.TB) (rows string) {
	t.Helper()
	if err := h.Pool(t).QueryRow(t.Context(), `
		SELECT coalesce(string_agg(module_id || '=' || enabled, ' ' ORDER BY module_id), '')
		FROM core.module_enablement`).Scan(&rows); err != nil {
		t.Fatal(err)
	}
	return rows
}

const patience = 20 * time.Second // longer than any deadline of the platform's own
