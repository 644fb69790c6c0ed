package catalog

import (
	"sort"
	"strconv"
	"strings"

	"github.com/narthex-platform/narthex/modulehost/manifest"
)

// The codes of discovery, besides those of manifest.Parse and of a package's files.
const (
	// ErrDirectoryInvalid: the modules directory is blank, relative, or no directory.
	ErrDirectoryInvalid = manifest.Error("MODULES_DIRECTORY_INVALID")
	// ErrDirectoryUnreadable: the modules directory is missing or cannot be read.
	ErrDirectoryUnreadable = manifest.Error("MODULES_DIRECTORY_UNREADABLE")
	// ErrManifestMissing: a module's folder has no module.json.
	ErrManifestMissing = manifest.Error("MANIFEST_MISSING")
	// ErrIDMismatch: a module's id differs from its folder's name.
	ErrIDMismatch = manifest.Error("MODULE_ID_MISMATCH")
	// ErrVolumeNoexec: no program can be started from the volume that a module with a server program is on.
	ErrVolumeNoexec = manifest.Error("MODULES_VOLUME_NOEXEC")
	// ErrPlatformIncompatible: a module's range does not include this release of the platform.
	ErrPlatformIncompatible = manifest.Error("PLATFORM_INCOMPATIBLE")
	// ErrSDKIncompatible: a module's range does not include this release of the module SDK.
	ErrSDKIncompatible = manifest.Error("MODULE_SDK_INCOMPATIBLE")
	// ErrDependencyMissing: a module or capability that a module requires is not installed.
	ErrDependencyMissing = manifest.Error("DEPENDENCY_MISSING")
	// ErrDependencyIncompatible: a required module or capability is installed in a version outside the range.
	ErrDependencyIncompatible = manifest.Error("DEPENDENCY_INCOMPATIBLE")
	// ErrDependencyCycle: modules depend on each other in a circle, by required or optional edges.
	ErrDependencyCycle = manifest.Error("DEPENDENCY_CYCLE")
)

// Findings are all findings about the installed modules, by module and then in the order of the checks. As an
// error it is never empty.
type Findings []manifest.Finding

// Error returns one line for each finding: `CODE: module <id> at <pointer>: sentence`.
func (f Findings) Error() string {
	lines := make([]string, len(f))
	for i, finding := range f {
		lines[i] = finding.Error()
	}
	return strings.Join(lines, "\n")
}

// Code returns the first finding's code.
func (f Findings) Code() string {
	if len(f) == 0 {
		return ""
	}
	return f[0].Code.Code()
}

// Unwrap returns every finding, so that errors.Is finds each code.
func (f Findings) Unwrap() []error {
	all := make([]error, len(f))
	for i, finding := range f {
		all[i] = finding
	}
	return all
}

// inOrder groups the findings by module and keeps each module's own order.
func (f Findings) inOrder() Findings {
	sort.SliceStable(f, func(a, b int) bool { return f[a].Module < f[b].Module })
	return f
}

// printableName returns a folder's name as it is, with control characters escaped, so that it cannot forge
// another line of output.
func printableName(folder string) string {
	quoted := strconv.Quote(folder)
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
}
