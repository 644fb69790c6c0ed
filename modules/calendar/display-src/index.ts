import { defineDisplay } from "@narthex/sdk";
import { Board } from "./board";
import css from "./style.css";

export default defineDisplay({
	mount(container, context) {
		context.addStyle(css);
		container.lang = context.locale;
		const board = new Board(container, context);
		board.start();
		return () => board.stop();
	},
});
