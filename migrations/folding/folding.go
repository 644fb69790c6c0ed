// Package folding owns how people are found by name and address: the words by which a person is found, and
// those of a search. Both are made here, because what a database makes of letters depends on its locale.
package folding

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// maxWord is the most bytes of a word. PostgreSQL refuses a lexeme of 2 KiB.
const maxWord = 512

// Fold returns the form in which texts are compared: without marks (ö is o) and case, with ß as ss.
func Fold(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) { // Cf: the joiners that a name may have
			return -1
		}
		return r
	}, norm.NFKD.String(cases.Fold().String(norm.NFKD.String(text))))
}

// Words returns the words by which a person is found: those of the name and their parts, the address and its
// parts. They are sorted, and none is empty or has a space.
func Words(name, address string) []string {
	words := split(name)
	for _, word := range words {
		words = append(words, strings.FieldsFunc(word, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsNumber(r)
		})...)
	}
	for _, word := range split(address) { // an address is one word
		words = append(words, word)
		words = append(words, strings.FieldsFunc(word, func(r rune) bool {
			return strings.ContainsRune(".-_+@", r)
		})...)
	}
	for i, word := range words {
		words[i] = cut(word)
	}
	slices.Sort(words)
	words = slices.Compact(words)
	return slices.DeleteFunc(words, func(word string) bool { return word == "" })
}

// Search returns the words of a search. Each must begin a word of the person.
func Search(text string) []string {
	words := split(text)
	for i, word := range words {
		words[i] = cut(word)
	}
	return words
}

func split(text string) []string { return strings.Fields(Fold(text)) }

// cut limits a word, without cutting a character.
func cut(word string) string {
	if len(word) <= maxWord {
		return word
	}
	return strings.ToValidUTF8(word[:maxWord], "")
}
