package emails

// Words are those of a language.
func Words(language string) any { return *wordsOf(language) }
