import { Button, Note } from "@narthex/kit";
import { defineModuleUi } from "@narthex/sdk";
import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ControlScreen } from "./control";
import { ExchangeScreen } from "./exchange";
import { ServiceScreen } from "./service";
import { ServicesScreen } from "./services";
import { SheetScreen } from "./sheet";
import { SongsScreen } from "./songs";
import css from "./style.css";
import { type Tools, toolsOf } from "./tools";

export default defineModuleUi({
	mount(container, context) {
		context.addStyle(css);
		render(<Stage tools={toolsOf(context)} />, container);
		return () => render(null, container);
	},
});

function Stage({ tools }: { readonly tools: Tools }) {
	const { context } = tools;
	const [subpath, setSubpath] = useState(context.subpath);
	useEffect(() => context.onNavigate(setSubpath), []);
	return (
		<div class="stage-ui" lang={tools.language}>
			{screenAt(subpath, tools)}
		</div>
	);
}

/** The page of each part of the module's address. */
function screenAt(subpath: string, tools: Tools) {
	const [, first = "", id = ""] = /^([a-z]*)(?:\/([0-9a-f-]+|new))?$/.exec(subpath) ?? [];
	if (first === "service" && id !== "") return <ServiceScreen key={id} tools={tools} id={id} />;
	if (first === "sheet" && id !== "") return <SheetScreen key={id} tools={tools} id={id} />;
	if (first === "live" && id !== "") {
		if (!tools.drives) return <NotAllowed tools={tools} permission="stage.live.control" />;
		return <ControlScreen key={id} tools={tools} id={id} />;
	}
	if (first === "songs") return <SongsScreen tools={tools} />;
	if (first === "exchange") {
		if (!tools.edits) return <NotAllowed tools={tools} permission="stage.plan.edit" />;
		return <ExchangeScreen tools={tools} />;
	}
	const when = first === "past" || first === "cancelled" ? first : "upcoming";
	return <ServicesScreen key={first} tools={tools} when={when} />;
}

interface NotAllowedProps {
	readonly tools: Tools;
	readonly permission: string;
}

function NotAllowed({ tools: { context, say }, permission }: NotAllowedProps) {
	useEffect(() => context.setTitle(context.module.name), []);
	return (
		<div class="d-stack">
			<Note tone="warn" role="alert">
				<p>{say("notAllowed", { permission })}</p>
			</Note>
			<Button onPress={() => context.navigate("")}>{say("toServices")}</Button>
		</div>
	);
}
