import { type Door, defineModuleUi, type ModuleUiContext } from "@narthex/sdk";
import { render } from "preact";
import { useCallback, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Card, type Remembered } from "./card";
import { type Look, moduleOf } from "./run";
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
 * The tiles of all modules, in the platform's order, after those where something waits for this person.
 * They appear together, because each would move those below it, and keep their order until the next visit.
 * On the way back to Home their places are known, and they are there at once.
 */
function Tiles({ context, shown }: TilesProps) {
	const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
	const [waiting, setWaiting] = useState<ReadonlySet<string>>(
		() => new Set(context.contributions.map(({ id }) => id).filter((id) => !context.drafts.get(id))),
	);
	const visible = waiting.size === 0;
	const doors = useRef<Map<string, Door | undefined>>(undefined);
	doors.current ??= new Map(
		context.contributions.map(({ id }) => [id, (context.drafts.get(id) as Remembered | undefined)?.door]),
	);
	const ordered = useMemo(() => {
		const waits = (id: string) => Number(doors.current?.get(id)?.waits ?? false);
		return [...context.contributions].sort((a, b) => waits(b.id) - waits(a.id));
	}, [visible]);
	useLayoutEffect(() => {
		if (visible) return shown();
		const timer = setTimeout(() => setWaiting(new Set()), patience);
		return () => clearTimeout(timer);
	}, [visible]);
	const changed = useCallback((id: string, { is, door }: Look) => {
		doors.current?.set(id, door);
		context.home?.setDoor(moduleOf(id), door);
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
				{ordered.map((contribution) => (
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
