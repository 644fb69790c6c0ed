package conformance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"path/filepath"
	"regexp"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/manifest"
	"github.com/narthex-platform/narthex/modulehost/publication"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/services/httpserver"
)

// exportsDefault matches a default export, in a bundle or in a source.
var exportsDefault = regexp.MustCompile(`\bexport\s*(default\b|\{[^}]*\bdefault\b[^}]*\})`)

func checkArtifacts(ctx context.Context, t *trial) outcome {
	scripts := t.module.Scripts()
	if len(scripts) == 0 {
		return notApplicable("the module has no page")
	}
	for _, s := range scripts {
		if !exportsDefault.Match(s.Bytes) {
			return withAction(s.Path, failed("it has no default export"))
		}
	}
	served, err := t.publish(ctx)
	switch {
	case errors.Is(err, errNotPublished):
		return passed("%d scripts; none was served, as what the module requires is not installed here",
			len(scripts))
	case err != nil:
		return failed("%v", err)
	}
	return passed("%d scripts, %d of them served", len(scripts), served)
}

var errNotPublished = errors.New("not published")

// publish serves the module's page and display as the platform does, and requests both.
func (t *trial) publish(ctx context.Context) (served int, err error) {
	installed, err := catalog.Discover(filepath.Dir(t.module.Folder), true, abi.PlatformVersion)
	if err != nil {
		return 0, errNotPublished
	}
	id := t.module.Manifest.ID
	started := installed.Resolve(catalog.State{
		Enabled: func(other string) bool { return other == id },
		Secret:  func(string, string) bool { return true },
		Stored:  func(string) map[string]string { return storedSettings(t.module.Manifest) },
		Storage: true,
	})
	if started.Outcome(id).State != catalog.Running {
		return 0, errNotPublished
	}
	publisher, err := publication.New(publication.Config{Catalog: installed, Started: started,
		Screens: noScreens{}, Log: zap.NewNop()})
	if err != nil {
		return 0, err
	}
	handler, err := httpserver.New(httpserver.Config{Routes: publisher.Routes(), ClientAddress: gates{},
		Resolver: gates{}, Authorizer: gates{}, Log: zap.NewNop()})
	if err != nil {
		return 0, err
	}
	root := "/api/v1/module-ui/" + id + "/" + t.module.Manifest.Version.String()
	paths := map[string]*manifest.Artifact{root: t.module.UI, root + "/display": t.module.Display,
		root + "/link": t.module.Link}
	for path, script := range paths {
		if script == nil {
			continue
		}
		if err := getScript(ctx, handler, path, script); err != nil {
			return served, err
		}
		served++
	}
	return served, nil
}

// getScript requests one script and compares it with the package's.
func getScript(ctx context.Context, handler http.Handler, path string, want *manifest.Artifact) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	w := &sent{header: make(http.Header)}
	handler.ServeHTTP(w, r)
	kind, _, _ := mime.ParseMediaType(w.header.Get("Content-Type"))
	switch {
	case w.status != http.StatusOK:
		return fmt.Errorf("%s: status %d", want.Path, w.status)
	case kind != "text/javascript":
		return fmt.Errorf("%s: its type is %q", want.Path, kind)
	case !bytes.Equal(w.body, want.Bytes):
		return fmt.Errorf("%s: other bytes than the file's", want.Path)
	}
	return nil
}

// sent is a response that is written to memory.
type sent struct {
	header http.Header
	status int
	body   []byte
}

func (s *sent) Header() http.Header    { return s.header }
func (s *sent) WriteHeader(status int) { s.status = status }

func (s *sent) Write(b []byte) (int, error) {
	if s.status == 0 {
		s.status = http.StatusOK
	}
	s.body = append(s.body, b...)
	return len(b), nil
}

// noScreens is for publication: no request of the trial is sent by a screen.
type noScreens struct{}

func (noScreens) Label(context.Context, string) (string, error)           { return "", nil }
func (noScreens) Renew(context.Context, http.Header, *http.Request) error { return nil }
func (noScreens) ForgetClaim(http.Header, *http.Request) error            { return nil }
