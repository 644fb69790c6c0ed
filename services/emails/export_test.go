package emails

// Words returns the texts of a language.
func Words(language string) any { return *wordsOf(language) }
