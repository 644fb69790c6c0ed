import { defineModuleUi } from "@narthex/sdk";
import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Editor } from "./editor";
import { pageOf } from "./pages";
import { Rooms } from "./rooms";
import { Screen } from "./screen";
import css from "./style.css";
import { type Tools, toolsOf } from "./tools";
import { Transfer } from "./transfer";

export default defineModuleUi({
	mount(container, context) {
		context.addStyle(css);
		render(<Calendar tools={toolsOf(context)} />, container);
		return () => render(null, container);
	},
});

function Calendar({ tools }: { readonly tools: Tools }) {
	const { context, manages, plans } = tools;
	const [subpath, setSubpath] = useState(context.subpath);
	useEffect(() => context.onNavigate(setSubpath), []);
	const page = pageOf(subpath);
	return (
		<div class="calendar" lang={tools.language}>
			{page.is === "view" || !(manages || (plans && page.is === "edit")) ? (
				<Screen tools={tools} page={page.is === "view" ? page : { is: "view", view: "month", day: "" }} />
			) : page.is === "rooms" ? (
				<Rooms tools={tools} />
			) : page.is === "transfer" ? (
				<Transfer tools={tools} />
			) : (
				<Editor key={subpath} tools={tools} page={page} subpath={subpath} />
			)}
		</div>
	);
}
