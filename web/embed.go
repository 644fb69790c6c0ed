// Package web owns what browsers run: its sources, and what is built of them (go run ./web/build), embedded.
package web

import (
	"embed"
	"io/fs"
)

//go:embed dist/dashboard dist/display
var dist embed.FS

// A program that asks for neither of these does not hold them.
//
//go:embed dist/gallery dist/sdk
var forAuthors embed.FS

// Dashboard is the built Dashboard: index.html, app.js and administration.js. The scripts are also there
// gzip- and zstd-coded.
func Dashboard() fs.FS { return folder(dist, "dist/dashboard") }

// Display is what screens on a wall load: index.html and host.js, which are also there gzip- and zstd-coded,
// and worker.js.
func Display() fs.FS { return folder(dist, "dist/display") }

// Gallery shows every component of the kit in every state, for those who build screens: index.html and
// gallery.js.
func Gallery() fs.FS { return folder(forAuthors, "dist/gallery") }

// SDK is the browser SDK for module authors: narthex-sdk.js and narthex-sdk.d.ts, below types what the kit
// and its libraries are to TypeScript, and kit.json, which names what they export.
func SDK() fs.FS { return folder(forAuthors, "dist/sdk") }

func folder(files embed.FS, name string) fs.FS {
	sub, err := fs.Sub(files, name)
	if err != nil {
		panic(err) // only a name that is no path
	}
	return sub
}
