package identity

import "strings"

// Of two that match, the first one counts: browsers name those that they descend from, too.
var (
	browsers = []struct{ mark, name string }{
		{"Edg", "Edge"}, {"OPR/", "Opera"}, {"SamsungBrowser/", "Samsung Internet"}, {"Vivaldi/", "Vivaldi"},
		{"Firefox/", "Firefox"}, {"FxiOS/", "Firefox"}, {"CriOS/", "Chrome"}, {"Chromium/", "Chromium"},
		{"Chrome/", "Chrome"}, {"Safari/", "Safari"},
	}
	systems = []struct{ mark, name string }{
		{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"CrOS", "ChromeOS"},
		{"Windows", "Windows"}, {"Mac OS X", "macOS"}, {"Linux", "Linux"},
	}
)

// describe returns the kind of browser and system that a User-Agent header names, such as "Firefox, Linux",
// so that people recognise their sessions. It is made of the words above alone, never of the header's text;
// an unknown browser is "".
func describe(userAgent string) string {
	var known []string
	for _, kinds := range [][]struct{ mark, name string }{browsers, systems} {
		for _, kind := range kinds {
			if strings.Contains(userAgent, kind.mark) {
				known = append(known, kind.name)
				break
			}
		}
	}
	return strings.Join(known, ", ")
}
