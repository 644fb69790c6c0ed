// Package web owns what browsers run: its sources, and what is built of them (go run ./web/build), embedded.
package web

import (
	"embed"
	"io/fs"
)

//go:embed dist/dashboard dist/display dist/gallery dist/sdk
var dist embed.FS

// Dashboard is the built Dashboard: index.html, app.js and administration.js. The scripts are also there
// gzip- and zstd-coded.
func Dashboard() fs.FS { return folder("dist/dashboard") }

// Display is what screens on a wall load: index.html and host.js, which are also there gzip- and zstd-coded,
// and worker.js.
func Display() fs.FS { return folder("dist/display") }

// Gallery shows every component of the kit in every state, for those who build screens: index.html and
// gallery.js.
func Gallery() fs.FS { return folder("dist/gallery") }

// SDK is the browser SDK for module authors: narthex-sdk.js and narthex-sdk.d.ts, below types what the kit
// and its libraries are to TypeScript, and kit.json, which names what they export.
func SDK() fs.FS { return folder("dist/sdk") }

func folder(name string) fs.FS {
	sub, err := fs.Sub(dist, name)
	if err != nil {
		panic(err) // only a name that is no path
	}
	return sub
}
