import { defineModuleUi, type ModuleUiContext } from "@narthex/sdk";
import { render } from "preact";
import { useCallback, useLayoutEffect, useState } from "preact/hooks";
import { Card } from "./card";
import type { Look } from "./run";
import css from "./style.css";
import { wordsOf } from "./words";

/** How long all tiles together wait for the slowest one, in milliseconds. */
const patience = 3_000;

export default defineModuleUi({
	async mount(container, context) {
		if (context.contributions.length === 0) return;
		context.addStyle(css);
		await new Promise<void>((shown) => {
			context.signal.addEventListener("abort", () => shown());
			render(<Tiles context={context} shown={shown} />, container);
		});
		return () => render(null, container);
	},
});

interface TilesProps {
	readonly context: ModuleUiContext;
	/** Called when the tiles are visible. */
	shown(): void;
}

/**
 * The tiles of all modules, in the platform's order. They appear together, because each would move those
 * below it. On the way back to Home their places are known, and they are there at once.
 */
function Tiles({ context, shown }: TilesProps) {
	const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
	const [waiting, setWaiting] = useState<ReadonlySet<string>>(
		() => new Set(context.contributions.map(({ id }) => id).filter((id) => !context.drafts.get(id))),
	);
	const visible = waiting.size === 0;
	useLayoutEffect(() => {
		if (visible) return shown();
		const timer = setTimeout(() => setWaiting(new Set()), patience);
		return () => clearTimeout(timer);
	}, [visible]);
	const changed = useCallback((id: string, is: Look["is"]) => {
		if (is !== "loading") setWaiting((before) => new Set([...before].filter((other) => other !== id)));
		setHidden((before) => {
			const after = new Set(before);
			if (is === "hidden") after.add(id);
			else after.delete(id);
			return after;
		});
	}, []);
	const say = wordsOf(context);
	return (
		<section hidden={hidden.size === context.contributions.length}>
			<h2 class="d-unseen" lang={say.language}>{say("heading")}</h2>
			<div class={visible ? "cards" : "cards waiting"}>
				{context.contributions.map((contribution) => (
					<Card
						key={contribution.id}
						context={context}
						contribution={contribution}
						say={say}
						changed={changed}
					/>
				))}
			</div>
		</section>
	);
}
