import { render } from "preact";
import { kitGerman } from "../kit/german";
import { kitStyles } from "../kit/styles";
import { kitLocale, kitSay } from "../kit/words";
import { fillIn } from "../sdk/narthex-sdk";
import { Gallery } from "./gallery";
import css from "./gallery.css";

// ?theme=dark, ?dir=rtl and ?lang=de choose the theme, the direction, and the language of the kit's own
// words.
const query = new URLSearchParams(location.search);
document.documentElement.dataset["theme"] = query.get("theme") === "dark" ? "dark" : "light";
document.documentElement.dir = query.get("dir") === "rtl" ? "rtl" : "ltr";
if (query.get("lang") === "de") {
	document.documentElement.lang = kitLocale.value = "de";
	kitSay.value = (id, fillings = {}) => fillIn(kitGerman[id], fillings, "de");
}

const sheet = new CSSStyleSheet();
sheet.replaceSync(kitStyles + css);
document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
render(<Gallery />, document.getElementById("root") as HTMLElement);
