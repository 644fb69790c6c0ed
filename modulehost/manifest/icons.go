package manifest

// icons are the names of the kit's icons. module.schema.json repeats them; a test compares.
var icons = []string{
	"home", "modules", "key", "list", "screen", "people", "activity", "house", "search", "menu", "plus",
	"check", "x", "more", "grip", "up", "down", "chevrons", "copy", "undo", "refresh", "alert", "info",
	"offline", "eye", "eye-off", "mail", "calendar", "clock", "timer", "sliders", "upload", "trash",
	"pencil", "sign-out", "sun", "moon", "play", "external", "qr", "globe", "door", "text", "megaphone",
	"lectern", "rota", "music", "book", "heart", "cup",
}
