import { defineModuleUi } from "@narthex/sdk";
import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Doors } from "./doors";
import { Editor } from "./editor";
import { ListPage } from "./listpage";
import { OwnSignUpPage } from "./ownsignup";
import { pageOf } from "./pages";
import { Rooms } from "./rooms";
import { Screen } from "./screen";
import signUpCss from "./signup.css";
import css from "./style.css";
import { type Tools, toolsOf } from "./tools";
import { Transfer } from "./transfer";

export default defineModuleUi({
	mount(container, context) {
		context.addStyle(css + signUpCss);
		render(<Calendar tools={toolsOf(context)} />, container);
		return () => render(null, container);
	},
});

function Calendar({ tools }: { readonly tools: Tools }) {
	const { context, manages, plans, signsUp } = tools;
	const [subpath, setSubpath] = useState(context.subpath);
	useEffect(() => context.onNavigate(setSubpath), []);
	const page = pageOf(subpath);
	return (
		<div class="calendar" lang={tools.language}>
			{page.is === "doors" ? (
				<Doors key={subpath} tools={tools} day={page.day} />
			) : page.is === "signup" && signsUp ? (
				<OwnSignUpPage key={subpath} tools={tools} id={page.id} date={page.date} />
			) : page.is === "view" || page.is === "signup" || !(manages || (plans && page.is === "edit")) ? (
				<Screen tools={tools} page={page.is === "view" ? page : { is: "view", view: "month", day: "" }} />
			) : page.is === "rooms" ? (
				<Rooms tools={tools} />
			) : page.is === "transfer" ? (
				<Transfer tools={tools} />
			) : page.is === "signups" ? (
				<ListPage key={subpath} tools={tools} id={page.id} date={page.date} />
			) : (
				page.is === "edit" && <Editor key={subpath} tools={tools} page={page} subpath={subpath} />
			)}
		</div>
	);
}
