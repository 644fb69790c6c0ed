// Package web owns what browsers run: the sources, and the built files (go run ./web/build), which are
// embedded.
package web

import (
	"embed"
	"io/fs"
)

//go:embed dist/dashboard dist/display dist/link
var dist embed.FS

// A program that calls none of Bench, Gallery and SDK does not contain these files.
//
//go:embed dist/bench dist/gallery dist/sdk
var forAuthors embed.FS

// Dashboard returns the built Dashboard: index.html, app.js, administration.js, account.js and files.js, the
// scripts also compressed by gzip and zstd.
func Dashboard() fs.FS { return folder(dist, "dist/dashboard") }

// Display returns the files that screens on a wall load: index.html and host.js, also compressed by gzip and
// zstd, and worker.js.
func Display() fs.FS { return folder(dist, "dist/display") }

// Link returns the page that links open: index.html and host.js, also compressed by gzip and zstd.
func Link() fs.FS { return folder(dist, "dist/link") }

// Gallery returns a page with every component of the kit in every state, for developers of screens:
// index.html and gallery.js.
func Gallery() fs.FS { return folder(forAuthors, "dist/gallery") }

// Bench returns the page of "narthex dev" with the modules at work: index.html and bench.js.
func Bench() fs.FS { return folder(forAuthors, "dist/bench") }

// SDK returns the browser SDK for module authors: narthex-sdk.js and narthex-sdk.d.ts, the type declarations
// of the kit and its libraries below types, and kit.json with the names of their exports.
func SDK() fs.FS { return folder(forAuthors, "dist/sdk") }

func folder(files embed.FS, name string) fs.FS {
	sub, err := fs.Sub(files, name)
	if err != nil {
		panic(err) // fails only for an invalid path
	}
	return sub
}
