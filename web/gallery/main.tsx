import { render } from "preact";
import { kitStyles } from "../kit/styles";
import { Gallery } from "./gallery";
import css from "./gallery.css";

// ?theme=dark and ?dir=rtl choose the theme and the direction.
const query = new URLSearchParams(location.search);
document.documentElement.dataset["theme"] = query.get("theme") === "dark" ? "dark" : "light";
document.documentElement.dir = query.get("dir") === "rtl" ? "rtl" : "ltr";

const sheet = new CSSStyleSheet();
sheet.replaceSync(kitStyles + css);
document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
render(<Gallery />, document.getElementById("root") as HTMLElement);
