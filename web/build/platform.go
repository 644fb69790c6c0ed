package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/web/bundle"
)

// maxBytes is the limit for the compressed size of the Dashboard's scripts: the first one, with the kit,
// which every page loads before it shows anything, and the later ones.
var maxBytes = map[string]int{
	"app.js.gz": 63 << 10, "administration.js.gz": 64 << 10, "account.js.gz": 24 << 10,
	"files.js.gz": 20 << 10,
}

// platform builds what the host itself serves and publishes. It also returns the SDK, which is part of that.
func platform() ([]output, bundle.SDK, error) {
	page, err := pageWithScripts("web/dashboard/index.html", "web/dashboard/early.ts")
	if err != nil {
		return nil, bundle.SDK{}, err
	}
	parts, err := bundle.KitExports()
	if err != nil {
		return nil, bundle.SDK{}, err
	}
	script, later, err := dashboardScripts(parts)
	if err != nil {
		return nil, bundle.SDK{}, err
	}
	page, err = stamped(page, script, later)
	if err != nil {
		return nil, bundle.SDK{}, err
	}
	displays, err := display()
	if err != nil {
		return nil, bundle.SDK{}, err
	}
	links, err := link()
	if err != nil {
		return nil, bundle.SDK{}, err
	}
	gallery, err := bundle.Build("web/gallery/main.tsx", api.FormatIIFE, bundle.Minified)
	if err != nil {
		return nil, bundle.SDK{}, err
	}
	galleryPage, err := os.ReadFile("web/gallery/index.html")
	if err != nil {
		return nil, bundle.SDK{}, err
	}
	bench, err := bundle.Build("web/bench/main.tsx", api.FormatIIFE, bundle.Minified)
	if err != nil {
		return nil, bundle.SDK{}, err
	}
	benchPage, err := os.ReadFile("web/bench/index.html")
	if err != nil {
		return nil, bundle.SDK{}, err
	}
	sdk, err := bundle.Build("web/sdk/narthex-sdk.ts", api.FormatESModule, bundle.Readable, bundle.OnDisplays)
	if err != nil {
		return nil, bundle.SDK{}, err
	}
	kit, err := json.MarshalIndent(parts, "", " ")
	if err != nil {
		return nil, bundle.SDK{}, err
	}
	server, err := serverSDK()
	if err != nil {
		return nil, bundle.SDK{}, err
	}
	types, err := declarations()
	if err != nil {
		return nil, bundle.SDK{}, err
	}
	scripts, err := withCodings("web/dist/dashboard/app.js", script)
	if err != nil {
		return nil, bundle.SDK{}, err
	}
	for n, name := range laterScripts {
		more, err := withCodings("web/dist/dashboard/"+name+".js", later[n])
		if err != nil {
			return nil, bundle.SDK{}, err
		}
		scripts = append(scripts, more...)
	}
	if err := checkWeights(scripts); err != nil {
		return nil, bundle.SDK{}, err
	}
	return slices.Concat([]output{{"web/dist/dashboard/index.html", page}}, scripts, displays, links, []output{
		{"web/dist/bench/index.html", benchPage},
		{"web/dist/bench/bench.js", bench},
		{"web/dist/gallery/index.html", galleryPage},
		{"web/dist/gallery/gallery.js", gallery},
		{sdkFolder + "/" + bundle.SDKScript, sdk},
		{sdkFolder + "/" + bundle.KitFile, kit},
	}, server, types), bundle.SDK{Script: sdk, Kit: parts, Server: server[0].bytes}, nil
}

// serverSDK returns the package @narthex/server, its script first. It is published as it is written.
func serverSDK() (files []output, err error) {
	for _, name := range []string{bundle.ServerScript, "server/narthex-server.d.ts",
		"server/narthex-test.d.ts"} {
		content, err := os.ReadFile("web/" + name)
		if err != nil {
			return nil, err
		}
		files = append(files, output{sdkFolder + "/" + name, content})
	}
	return files, nil
}

// pageWithScripts reads a page's source and writes into it what it runs before its own script: the scripts of
// both pages, and those of this one.
func pageWithScripts(path string, own ...string) ([]byte, error) {
	page, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	kinds := map[string]func(*api.BuildOptions){
		"web/host/outdated.ts": bundle.AnyBrowser, "web/host/loader.ts": bundle.OnDisplays,
	}
	for _, entry := range own {
		kinds[entry] = func(*api.BuildOptions) {} // for the Dashboard's browsers
	}
	for entry, kind := range kinds {
		place := []byte("/* " + entry + " */")
		if bytes.Count(page, place) != 1 {
			return nil, fmt.Errorf("%s has not exactly one place for %s", path, entry)
		}
		script, err := bundle.Build(entry, api.FormatIIFE, bundle.Minified, kind)
		if err != nil {
			return nil, err
		}
		if bytes.Contains(script, []byte("</script")) {
			return nil, errors.New(entry + " would end its element in the page")
		}
		page = bytes.Replace(page, place, bytes.TrimSpace(script), 1)
	}
	return page, nil
}

// withCodings returns a file, with copies compressed by zstd and gzip.
func withCodings(path string, content []byte) ([]output, error) {
	zstd, err := httpapi.Encode(content, httpapi.Zstd)
	if err != nil {
		return nil, err
	}
	gzip, err := httpapi.Encode(content, httpapi.Gzip)
	if err != nil {
		return nil, err
	}
	return []output{{path, content}, {path + ".zst", zstd}, {path + ".gz", gzip}}, nil
}

// stamped writes the build's hash into the page, so that an open tab can tell that the server has a newer
// one, and into the later scripts, so that a page does not run the script of another build.
func stamped(page, first []byte, later [][]byte) ([]byte, error) {
	const element = `<meta name="narthex-build" content="%s">`
	empty := fmt.Appendf(nil, element, "")
	if bytes.Count(page, empty) != 1 {
		return nil, errors.New("the page has not exactly one empty build element")
	}
	sum := sha256.Sum256(slices.Concat(page, first, slices.Concat(later...)))
	build := hex.EncodeToString(sum[:8])
	for n := range later {
		later[n] = fmt.Appendf(later[n], "export const build=%q;\n", build)
	}
	return bytes.Replace(page, empty, fmt.Appendf(nil, element, build), 1), nil
}
