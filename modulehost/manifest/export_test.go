package manifest

import "io"

// WalkingPackage is OpenPackage where the kernel has no openat2.
func OpenPackageInRoot(folder string) (*Package, error) {
	p, err := OpenPackage(folder)
	if err == nil {
		p.open = openInRoot
	}
	return p, err
}

// CheckELF is what Executable asks of a file's bytes.
func CheckELF(file io.ReaderAt, size int64) error { return checkELF(file, size) }

// PlainName says whether a name may stand in a pointer.
func PlainName(name string) bool { return plainName.MatchString(name) }

// Limits and patterns are those that module.schema.json repeats.
var (
	Limits = map[string]int{
		"id": maxIDLength, "namespaced": maxNamespacedLength, "name": maxNameLength, "version": maxVersionLength,
		"range": maxRangeLength, "path": maxPathLength, "key": maxKeyLength, "enum value": maxEnumValueLength,
		"permission text": maxPermissionText, "configuration text": maxConfigurationText,
		"dependencies": maxDependencies,
		"provides":     maxProvides, "permissions": maxPermissions, "buckets": maxBuckets,
		"configuration": maxDeclarations,
		"values":        maxEnumValues, "contributions": maxContributions, "integer": maxInteger,
	}
	Icons    = icons
	Patterns = map[string]string{"id": idPattern.String(), "bucket": bucketPattern.String(),
		"key": keyPattern.String()}
)
