import { defineDisplay, live } from "@narthex/sdk";
import { Screen } from "./screen";
import css from "./screen.css";
import type { Shown } from "./shown";
import { viewOf } from "./view";

export default defineDisplay({
	mount(container, context) {
		context.addStyle(css);
		container.lang = context.locale;
		const screen = new Screen(container, context, () => followed.now());
		const look = () => screen.see(viewOf(location.hash));
		look();
		addEventListener("hashchange", look);
		const followed = live<Shown, Shown>(context, "screen", {
			// Several processes publish, so an older state may arrive after a newer one.
			apply: (shown, update) => (update.rev >= shown.rev ? update : shown),
			changed: (shown) => screen.show(shown),
		});
		return () => {
			removeEventListener("hashchange", look);
			followed.stop();
			screen.stop();
		};
	},
});
