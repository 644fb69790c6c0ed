package devices

import "strings"

// mark is a word in a User-Agent header and what it stands for.
type pattern struct{ word, name string }

// The first that occurs counts, so what pretends to be another stands before it.
var (
	browsers = []pattern{
		{"Edg", "Edge"}, {"OPR/", "Opera"}, {"SamsungBrowser/", "Samsung Internet"},
		{"Firefox/", "Firefox"}, {"FxiOS/", "Firefox"},
		{"CriOS/", "Chrome"}, {"Chrome/", "Chromium"}, {"Chromium/", "Chromium"},
		{"Safari/", "Safari"},
	}
	systems = []pattern{
		{
			"iPad",
			"iPad",
		}, {"iPhone", "iPhone"}, {"Tizen", "Tizen"}, {"Web0S", "webOS"}, {"CrOS", "ChromeOS"}, {"Android", "Android"},
		{"Windows", "Windows"}, {"Macintosh", "macOS"}, {"Linux", "Linux"},
	}
)

// describe tells an administrator coarsely what asks, in words of our own: nothing of the header is
// repeated, which anybody may write.
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
