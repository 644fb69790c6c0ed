import { Button, Note } from "@narthex/kit";
import { defineModuleUi } from "@narthex/sdk";
import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Editor } from "./editor";
import { List } from "./list";
import stageCss from "../display-src/stage.css";
import { ownKind } from "./slide";
import css from "./style.css";
import { type Tools, toolsOf } from "./tools";

export default defineModuleUi({
	mount(container, context) {
		context.addStyle(stageCss + css);
		render(<Announcements tools={toolsOf(context)} />, container);
		return () => render(null, container);
	},
});

/** How many slides the list draws at once: hundreds would take seconds on a phone. */
const page = 100;

/** The list as the first page, the editor at "new", "new/<kind>" and "edit/<id>". */
function Announcements({ tools }: { readonly tools: Tools }) {
	const { context } = tools;
	const [subpath, setSubpath] = useState(context.subpath);
	const [drawn, setDrawn] = useState(page); // the list comes back as long as it was
	useEffect(() => context.onNavigate(setSubpath), []);
	const edited = /^edit\/([0-9a-f-]+)$/.exec(subpath)?.[1];
	const added = subpath === "new" ? ownKind : /^new\/([a-z0-9.-]+)$/.exec(subpath)?.[1];
	const writes = edited !== undefined || added !== undefined;
	const all = () => setDrawn(Infinity); // what is new is at the end
	return (
		<div class="announcements" lang={tools.language}>
			{!writes && <List tools={tools} drawn={drawn} more={() => setDrawn(drawn + page)} all={all} />}
			{writes && tools.manages && (
				<Editor
					key={subpath}
					tools={tools}
					id={edited}
					kind={added ?? ownKind}
					created={all}
				/>
			)}
			{writes && !tools.manages && <NotForReaders tools={tools} />}
		</div>
	);
}

function NotForReaders({ tools: { context, say } }: { readonly tools: Tools }) {
	useEffect(() => context.setTitle(context.module.name), []);
	return (
		<div class="d-stack">
			<Note tone="warn" role="alert">
				<p>{say("notForReaders")}</p>
			</Note>
			<Button onPress={() => context.navigate("")}>{say("toList")}</Button>
		</div>
	);
}
