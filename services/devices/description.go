package devices

import "strings"

// pattern is a word in a User-Agent header and the browser's name.
type pattern struct{ word, name string }

// The first pattern that occurs wins, so a browser whose header also contains another browser's word is
// listed before that one.
var (
	browsers = []pattern{
		{"Edg", "Edge"}, {"OPR/", "Opera"}, {"SamsungBrowser/", "Samsung Internet"},
		{"Firefox/", "Firefox"}, {"FxiOS/", "Firefox"},
		{"CriOS/", "Chrome"}, {"Chrome/", "Chromium"}, {"Chromium/", "Chromium"},
		{"Safari/", "Safari"},
	}
	systems = []pattern{
		{"iPad", "iPad"}, {"iPhone", "iPhone"}, {"Tizen", "Tizen"}, {"Web0S", "webOS"}, {"CrOS", "ChromeOS"},
		{"Android", "Android"}, {"Windows", "Windows"}, {"Macintosh", "macOS"}, {"Linux", "Linux"},
	}
)

// describe returns roughly which browser sent the request, for the administrator. It copies nothing from the
// header, because a client can send any text there.
func describe(userAgent string) string {
	browser := firstMatch(browsers, userAgent)
	if browser == "" {
		browser = "Unknown browser"
	}
	if system := firstMatch(systems, userAgent); system != "" {
		return browser + " on " + system
	}
	return browser
}

func firstMatch(marks []pattern, text string) string {
	for _, m := range marks {
		if strings.Contains(text, m.word) {
			return m.name
		}
	}
	return ""
}
