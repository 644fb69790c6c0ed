package catalog

import (
	"fmt"

	"github.com/Masterminds/semver/v3"
)

// Inspect reads one module's folder as Discover does, by itself: its manifest, what that is compatible
// with, and the files that it names. Dependencies are not resolved, so that the Module has no edges and
// level 0. platformVersion is as for Discover.
//
// The error is Findings, the same that discovery has; then there is no Module.
func Inspect(folder, platformVersion string) (*Module, error) {
	platform, err := semver.StrictNewVersion(platformVersion)
	if err != nil {
		return nil, fmt.Errorf("the platform's own version: %w", err)
	}
	module, findings := read(folder, platform)
	if len(findings) > 0 {
		return nil, findings
	}
	return module, nil
}
