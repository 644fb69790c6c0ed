import { defineModuleUi } from "@narthex/sdk";
import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type Board, boardOf } from "./board";
import { Editor } from "./editor";
import { List } from "./list";
import css from "./style.css";

export default defineModuleUi({
	mount(container, context) {
		context.addStyle(css);
		render(<Announcements board={boardOf(context)} />, container);
		return () => render(null, container);
	},
});

/** The list at the start, the editor at "new" and "edit/<id>". */
function Announcements({ board }: { readonly board: Board }) {
	const { context } = board;
	const [subpath, setSubpath] = useState(context.subpath);
	useEffect(() => {
		const follow = () => setSubpath(context.subpath);
		addEventListener("hashchange", follow, { signal: context.signal });
		return () => removeEventListener("hashchange", follow);
	}, []);
	const edited = /^edit\/([0-9a-f-]+)$/.exec(subpath)?.[1];
	return (
		<div class="announcements" lang={board.language}>
			{edited !== undefined || subpath === "new" ? <Editor key={subpath} board={board} id={edited} /> : <List board={board} />}
		</div>
	);
}
