package manifest

// The limits of docs/reference/manifest.md, and those that keep a manifest's texts short enough to print,
// store and put into a URL. Lengths are in characters (code points) unless said otherwise.
// module.schema.json repeats them; a test compares.
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

	maxInteger = 1 << 53 // the largest integer up to which a browser's numbers are exact
)

// icons are the names of the Dashboard's icons. module.schema.json repeats them; a test compares.
var icons = []string{
	"home", "modules", "key", "list", "screen", "people", "activity", "house", "search", "menu", "plus",
	"check", "x", "more", "grip", "up", "down", "chevrons", "copy", "undo", "refresh", "alert", "info",
	"offline", "eye", "eye-off", "mail", "calendar", "clock", "timer", "sliders", "upload", "trash",
	"pencil", "sign-out", "sun", "moon", "play", "external", "qr", "globe", "door", "text", "megaphone",
	"lectern", "rota", "music", "book", "heart", "cup",
}
