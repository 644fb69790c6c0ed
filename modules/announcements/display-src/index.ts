import { defineDisplay } from "@narthex/sdk";
import { Stage } from "./stage";
import css from "./stage.css";

export default defineDisplay({
	mount(container, context) {
		context.addStyle(css);
		container.lang = context.locale;
		const stage = new Stage({ context, container, channel: "board", images: "/board/images" });
		stage.start();
		return () => stage.stop();
	},
});
