package conformance

import (
	"context"
	"errors"
	"strings"

	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/manifest"
)

// serverPointer is the manifest's field for the executable.
const serverPointer = "/entrypoints/server"

// checkPackage does not report findings about the executable; the next check does.
func checkPackage(_ context.Context, t *trial) outcome {
	if t.source == nil {
		return passed("%s %s", t.module.Manifest.ID, t.module.Manifest.Version)
	}
	rest, _ := t.findings()
	if len(rest) == 0 {
		return passed("nothing but the executable is wrong")
	}
	return failed("%s", strings.Join(rest, "; "))
}

func checkExecutable(_ context.Context, t *trial) outcome {
	rest, executable := t.findings()
	switch {
	case len(executable) > 0:
		return failed("%s", strings.Join(executable, "; "))
	case len(rest) > 0:
		return notApplicable("the package is not valid")
	case !t.module.HasServer():
		return notApplicable("the module has no server")
	}
	return passed("%s", t.module.ServerPath())
}

// findings returns the findings about the executable, and separately all others.
func (t *trial) findings() (rest, executable []string) {
	all := catalog.Findings(nil)
	switch {
	case t.source == nil:
	case !errors.As(t.source, &all):
		rest = append(rest, t.source.Error())
	default:
		for _, f := range all {
			if f.Code == manifest.ErrArtifactInvalid && f.Pointer == serverPointer {
				executable = append(executable, f.Error())
			} else {
				rest = append(rest, f.Error())
			}
		}
	}
	return rest, executable
}
