package emails

// Words returns the texts of a language.
func Words(language string) any { return *wordsOf(language) }

// Colours returns the accent, and the fill and the accent of the dark theme, of each of these accents.
func Colours(accents ...string) map[string][]string {
	all := make(map[string][]string, len(accents))
	for _, accent := range accents {
		found := coloursOf(accent)
		all[accent] = []string{found.accent, found.darkFill, found.darkAccent}
	}
	return all
}
