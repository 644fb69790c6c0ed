import { defineDisplay } from "@narthex/sdk";
import { LiveScreen } from "./live";
import { Screen } from "./screen";
import css from "./screen.css";

export default defineDisplay({
	mount(container, context) {
		context.addStyle(css);
		container.lang = context.locale;
		const screen = new Screen(container, context.locale, () => live.now());
		const live = new LiveScreen(context, (shown) => screen.show(shown));
		live.start();
		return () => {
			live.stop();
			screen.stop();
		};
	},
});
