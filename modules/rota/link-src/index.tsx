import { defineDisplay } from "@narthex/sdk";
import { render } from "preact";
import { wordsOf } from "../ui-src/words";
import { LinkApi } from "./api";
import { LinkPage } from "./page";
import css from "./style.css";

/** The page of a mailed link, on which somebody answers without an account. */
export default defineDisplay({
	mount(container, context) {
		context.addStyle(css);
		const say = wordsOf(context);
		render(<LinkPage api={new LinkApi(context)} say={say} signal={context.signal} />, container);
		return () => render(null, container);
	},
});
