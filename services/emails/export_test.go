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

// SharedColours returns the colours that all accents share.
func SharedColours() []string {
	return []string{light.page, light.card, light.line, light.text, light.quiet,
		dark.page, dark.card, dark.line, dark.text, dark.quiet}
}

// Pairs returns the words' colours with their grounds, of an accent, in both themes.
func Pairs(accent string) [][2]string {
	c := coloursOf(accent)
	return [][2]string{
		{"#ffffff", c.accent}, {"#ffffff", c.darkFill},
		{light.text, light.card}, {light.quiet, light.card}, {light.quiet, light.page}, {c.accent, light.card},
		{dark.text, dark.card}, {dark.quiet, dark.card}, {dark.quiet, dark.page}, {c.darkAccent, dark.card},
	}
}
