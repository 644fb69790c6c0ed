package manifest

import "io"

// OpenPackageInRoot is OpenPackage on a kernel without openat2.
func OpenPackageInRoot(folder string) (*Package, error) {
	p, err := OpenPackage(folder)
	if err == nil {
		p.open = openInRoot
	}
	return p, err
}

// CheckELF is the check that Executable applies to a file's bytes.
func CheckELF(file io.ReaderAt, size int64) error { return checkELF(file, size) }

// PlainName reports whether a name may be part of a finding's pointer.
func PlainName(name string) bool { return plainName().MatchString(name) }

// Limits and Patterns are repeated in module.schema.json; tests compare the two.
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
	Patterns = map[string]string{"id": idPattern.String(), "bucket": bucketPattern().String(),
		"key": keyPattern().String()}
)
