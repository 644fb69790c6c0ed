package emails

// colours are those of one accent (web/kit/styles/accents.css): of buttons and links in the light theme, and
// in the dark one, where what has white words on it is darker than a link.
type colours struct{ accent, darkFill, darkAccent string }

// coloursOf returns blue's for an accent that this version does not have.
func coloursOf(accent string) colours {
	switch accent {
	case "violet":
		return colours{"#6353af", "#7262c4", "#b3acfb"}
	case "plum":
		return colours{"#8c478a", "#9f559e", "#dda1da"}
	case "ruby":
		return colours{"#aa374f", "#c0465e", "#fc99a5"}
	case "copper":
		return colours{"#9a4a1d", "#ae592b", "#eba582"}
	case "olive":
		return colours{"#66630e", "#76731d", "#b8b87b"}
	case "green":
		return colours{"#216e46", "#2f7f53", "#88c29d"}
	case "teal":
		return colours{"#026b75", "#067c87", "#79c0c8"}
	default:
		return colours{"#2b5fb0", "#386fc6", "#89b7fd"}
	}
}

// theme are the colours that all accents share, as in web/kit/styles/tokens.css.
type theme struct{ page, card, line, text, quiet string }

var (
	light = theme{page: "#f7f6f3", card: "#ffffff", line: "#e3e0d8", text: "#1e1c18", quiet: "#5b574e"}
	dark  = theme{page: "#141311", card: "#1c1b18", line: "#33302a", text: "#edeae4", quiet: "#b3ada2"}
)
