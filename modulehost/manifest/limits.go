package manifest

// Limits of contract.md §7, and those that keep a manifest's texts short enough to print, store and put in
// a URL. Lengths are in characters (code points) unless said otherwise. module.schema.json repeats them; a
// test compares.
const (
	maxIDLength          = 48
	maxNamespacedLength  = 128
	maxNameLength        = 80
	maxVersionLength     = 128
	maxRangeLength       = 256
	maxPathLength        = 255 // bytes
	maxKeyLength         = 64
	maxEnumValueLength   = 200
	maxPermissionText    = 200
	maxConfigurationText = 1000

	maxDependencies  = 32 // required and optional together
	maxProvides      = 16
	maxPermissions   = 64
	maxBuckets       = 16
	maxDeclarations  = 64
	maxEnumValues    = 64
	maxContributions = 16

	maxInteger = 1 << 53 // what a browser's number still holds exactly
)
