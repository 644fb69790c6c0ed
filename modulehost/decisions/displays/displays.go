// Package displays serves the files that a screen on a wall loads: the page of each display, the host script
// that runs in it, and the service worker that caches both for a start without a network
// (docs/reference/browser.md).
//
// The files are read once at startup, and no part of a request selects a file. Page and scripts contain no
// data: everything that is displayed comes from the descriptor and from the module, which both require the
// display's permission. So a caller without the permission gets the same page, which then pairs the screen.
package displays

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"net/http"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/manifest"
	"github.com/narthex-platform/narthex/services/httpapi"
)

// The files of a build.
const (
	pageFile   = "index.html"
	scriptFile = "host.js"
	workerFile = "worker.js"

	hashDigits = 16 // hexadecimal, of the SHA-256 of the host script
)

// Screens manages the cookies of paired screens. After an error a cookie is unchanged.
type Screens interface {
	// ForgetClaim clears the claim cookie, by a Set-Cookie in header, when the claim is no longer valid.
	ForgetClaim(header http.Header, r *http.Request) error
}

// Files are the files of a build, ready to be sent.
type Files struct {
	page, script, worker *httpapi.Asset
	personPage           *httpapi.Asset // for a person without the permission
	scriptPath           string
}

// Read reads a build: index.html, host.js and worker.js, the first two also as .zst and .gz if they were
// built. It fails with ErrAsset when a file is missing, or when the page does not refer to exactly this host
// script.
func Read(build fs.FS) (*Files, error) {
	f := new(Files)
	script, err := read(build, scriptFile)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(script)
	hash := hex.EncodeToString(sum[:])[:hashDigits]
	f.scriptPath = displayPath + "host-" + hash + ".js"
	if err := checkPage(build, hash, f.scriptPath); err != nil {
		return nil, err
	}
	for _, file := range []struct {
		name, kind string
		asset      **httpapi.Asset
	}{
		{pageFile, pageType, &f.page},
		{scriptFile, "text/javascript; charset=utf-8", &f.script},
		{workerFile, "text/javascript; charset=utf-8", &f.worker}, // never compressed: no .zst and no .gz is built
	} {
		if *file.asset, err = NewAsset(build, file.name, file.kind); err != nil {
			return nil, err
		}
	}
	f.personPage, err = newPersonPage(build, hash)
	return f, err
}

// Service serves the routes of the displays. It is safe for concurrent use and starts no goroutine.
type Service struct {
	*Files
	displays []*manifest.Manifest // of the running modules that have a display
	screens  Screens
	log      *zap.Logger
}

// Config configures a Service. All fields are required.
type Config struct {
	Files   *Files
	Started catalog.Resolution // what this process started
	Screens Screens
	Log     *zap.Logger
}

// New makes a Service. It fails if a field of the configuration is missing.
func New(config Config) (*Service, error) {
	if config.Files == nil || config.Screens == nil || config.Log == nil {
		return nil, errors.New("displays: files, screens and a log are required")
	}
	s := &Service{Files: config.Files, screens: config.Screens, log: config.Log}
	for _, m := range config.Started.Running() {
		if m.Manifest.Display != nil {
			s.displays = append(s.displays, m.Manifest)
		}
	}
	return s, nil
}

// ErrAsset ends a start: the build is missing or does not match this platform. services/dashboard has the
// same code.
const ErrAsset = httpapi.Error("DASHBOARD_HOST_ASSET_UNAVAILABLE")
