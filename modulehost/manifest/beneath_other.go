//go:build unix && !linux

package manifest

import "os"

func openBeneath(p *Package, path string, flags int) (*os.File, error) {
	return openInRoot(p, path, flags)
}
