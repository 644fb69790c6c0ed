package displays

import (
	"bytes"
	"fmt"
	"io/fs"

	"github.com/narthex-platform/narthex/services/httpapi"
)

// checkPage fails unless the page contains the host script's hash and its path, each once. The worker caches
// only a page with that hash.
func checkPage(build fs.FS, hash, scriptPath string) error {
	page, err := read(build, pageFile)
	if err != nil {
		return err
	}
	for _, needed := range []string{
		marker(hash),
		fmt.Sprintf(`src="%s"`, scriptPath),
	} {
		if bytes.Count(page, []byte(needed)) != 1 {
			return fmt.Errorf("%w: the page does not name this host script", ErrAsset)
		}
	}
	return nil
}

// marker is the element by which the worker recognises a page of this build.
func marker(hash string) string {
	return fmt.Sprintf(`<meta name="narthex-display" content="%s">`, hash)
}

// newPersonPage makes the page for a browser in which a person without the display's permission is signed
// in. It would be no use to pair that browser, because its requests are the person's.
func newPersonPage(build fs.FS, hash string) (*httpapi.Asset, error) {
	content, err := read(build, pageFile)
	if err != nil {
		return nil, err
	}
	marked := marker(hash) + `<meta name="narthex-display-person" content="1">`
	content = bytes.Replace(content, []byte(marker(hash)), []byte(marked), 1)
	return httpapi.NewAsset(content, nil, pageType, headers), nil
}

const pageType = "text/html; charset=utf-8"

// headers are those of every file.
var headers = map[string]string{
	"X-Frame-Options": "DENY",
	// No allowlist of scripts, because the module's scripts run in this page.
	"Content-Security-Policy": "frame-ancestors 'none'; object-src 'none'; base-uri 'none'",
	"Referrer-Policy":         "no-referrer",
}

// NewAsset reads a file, and its compressed forms if the build has them. It gets the headers of every page in
// which a module's scripts run. It fails with ErrAsset.
func NewAsset(build fs.FS, name, contentType string) (*httpapi.Asset, error) {
	content, err := read(build, name)
	if err != nil {
		return nil, err
	}
	var coded []*httpapi.Representation
	for _, kept := range []struct{ coding, ending string }{{httpapi.Zstd, ".zst"}, {httpapi.Gzip, ".gz"}} {
		if compressed, err := fs.ReadFile(build, name+kept.ending); err == nil {
			coded = append(coded, httpapi.NewRepresentation(compressed, kept.coding))
		}
	}
	return httpapi.NewAsset(content, coded, contentType, headers), nil
}

func read(build fs.FS, name string) ([]byte, error) {
	content, err := fs.ReadFile(build, name)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrAsset, err)
	}
	if len(content) == 0 {
		return nil, fmt.Errorf("%w: %s is empty", ErrAsset, name)
	}
	return content, nil
}
