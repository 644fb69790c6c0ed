import { useState } from "preact/hooks";
import type { App } from "../../app/app";
import type { NavigationEntry } from "../../data/platform";
import { Heading } from "../../shell/heading";
import { ModulePlace } from "./moduleplace";

/** The screen of one module: its heading, with the text beside it, and the module. */
export function ModuleScreen({ app, entry }: { readonly app: App; readonly entry: NavigationEntry }) {
	const [title, setTitle] = useState(entry.name);
	return (
		<>
			<div class="d-page-header">
				<div class="d-titles">
					<Heading title={title} part={String(app.router.opened.value)} />
					<p class="d-sub" data-header="sub" />
				</div>
				<div class="d-actions" data-header="actions" />
			</div>
			<ModulePlace app={app} entry={entry} setTitle={setTitle} />
		</>
	);
}
