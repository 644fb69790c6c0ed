// Package web owns what browsers run: its sources, and what is built of them (go run ./web/build), embedded.
package web

import (
	"embed"
	"io/fs"
)

//go:embed dist/dashboard dist/sdk
var dist embed.FS

// Dashboard is the built Dashboard: index.html and app.js.
func Dashboard() fs.FS { return folder("dist/dashboard") }

// SDK is the browser SDK for module authors: narthex-sdk.js and narthex-sdk.d.ts.
func SDK() fs.FS { return folder("dist/sdk") }

func folder(name string) fs.FS {
	sub, err := fs.Sub(dist, name)
	if err != nil {
		panic(err) // only a name that is no path
	}
	return sub
}
