// Package narthex owns the copy of the platform's sources that narthex-dev carries. A module's tests run in
// the real host, and sdk:export writes these sources for authors without a checkout.
package narthex

import "embed"

// Host is the part of this Go module that modulehost/sdktest is built of, with its go.mod and go.sum. Some of
// its files are not needed for that. A test of modulehost/sdkexport finds what is missing.
//
//go:embed go.mod go.sum LICENSE mail migrations modulehost/catalog modulehost/facade modulehost/gateway
//go:embed modulehost/hostmemory modulehost/manifest modulehost/process modulehost/schedule
//go:embed modulehost/sdktest realtime services/activity/chain services/authorization
//go:embed services/clientaddress services/database services/environment services/httpapi services/httpserver
//go:embed services/leaktest services/loglimit services/porttest services/principal services/store storage
//go:embed services/waittest supervisor
var Host embed.FS

// Guide is what authors read, which sdk:export writes, too.
//
//go:embed docs/modules.md docs/modules-mistakes.md docs/link.md docs/reference/modules.md
//go:embed docs/reference/realtime.md docs/modules-typescript.md
var Guide embed.FS
