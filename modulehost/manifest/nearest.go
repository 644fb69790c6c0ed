package manifest

import "strconv"

const quotedCharacters = 40

// quoted returns a name that somebody else has written, so that a terminal shows it as it is.
func quoted(name string) string {
	if runes := []rune(name); len(runes) > quotedCharacters {
		name = string(runes[:quotedCharacters]) + "..."
	}
	return strconv.QuoteToASCII(name)
}

// Nearest returns the name that somebody meant who wrote another one by mistake; "" if none is close. A
// mistake is one wrong, missing or additional character in a short name, and two in a longer one.
func Nearest(written string, names []string) string {
	best, nearest := 2, "" // fewer mistakes than these
	if len(written) > 6 {
		best = 3
	}
	for _, name := range names {
		if name == "" || len(name) > 2*maxNamespacedLength || len(written) > 2*maxNamespacedLength {
			continue
		}
		if d := distance(written, name); d < best {
			best, nearest = d, name
		}
	}
	return nearest
}

// distance counts the characters that must be changed, added, removed or swapped with their neighbour.
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
