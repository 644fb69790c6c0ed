import { Button, restoreFocus, Skeleton, Status } from "@narthex/kit";
import type { Contribution, Door, ModuleUiContext } from "@narthex/sdk";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { rounds } from "./rounds";
import { type Look, TileRun } from "./run";
import type { Say } from "./words";

interface CardProps {
	readonly context: ModuleUiContext;
	readonly contribution: Contribution;
	readonly say: Say;
	/** Called with every state of the card. */
	changed(id: string, look: Look): void;
}

/**
 * What is known about a card, so that the page does not jump when the person returns to it. It is no plain
 * data, which would outlive a reload: a page that begins has to wait for its tiles.
 */
export class Remembered {
	constructor(
		readonly hidden: boolean,
		readonly height: number,
		readonly door: Door | undefined,
	) {}
}

/** One tile in its card. */
export function Card({ context, contribution, say, changed }: CardProps) {
	const { id } = contribution;
	const before = useRef(context.drafts.get(id) as Remembered | undefined).current;
	const [look, setLook] = useState<Look>({
		is: before?.hidden ? "hidden" : "loading",
		title: undefined,
		failed: false,
		door: before?.door,
	});
	const card = useRef<HTMLElement>(null);
	const content = useRef<HTMLDivElement>(null);
	const tile = useRef<TileRun>(undefined);
	const heading = useRef<HTMLHeadingElement>(null);
	const headingId = useId();
	const [busy, setBusy] = useState(false);
	const pressed = useRef(false);

	useEffect(() => {
		const ended = new AbortController();
		const container = content.current as HTMLElement;
		const run = new TileRun(contribution, context, container, setLook, {
			hidden: look.is === "hidden",
			door: look.door,
		});
		tile.current = run;
		void run.run();
		rounds(() => void run.run(), ended.signal);
		return () => {
			ended.abort();
			run.end();
		};
	}, []);
	useEffect(() => {
		changed(id, look);
		const buttonGone = pressed.current && !look.failed && document.activeElement === document.body;
		pressed.current = false;
		if (buttonGone) restoreFocus(heading.current);
		if (look.is === "loading" || look.failed) return;
		const height = card.current?.offsetHeight ?? 0;
		context.drafts.set(id, new Remembered(look.is === "hidden", height, look.door));
	}, [look]);

	const again = async () => {
		pressed.current = true;
		setBusy(true);
		await tile.current?.run();
		setBusy(false);
	};

	const reserved = look.is === "loading" && before ? { minBlockSize: `${before.height}px` } : {};
	return (
		<section
			ref={card}
			class="d-card"
			hidden={look.is === "hidden"}
			style={reserved}
			{...(look.title === undefined ? {} : { "aria-labelledby": headingId })}
		>
			{look.title !== undefined && (
				<h3 ref={heading} id={headingId} tabIndex={-1}>
					{look.title}
				</h3>
			)}
			{look.is === "loading" && <Skeleton rows={1} />}
			<div ref={content} hidden={look.is === "loading"} />
			{look.failed && (
				<div class="failed" lang={say.language}>
					<Status class="d-muted">{say(content.current?.hasChildNodes() ? "stale" : "failed")}</Status>
					<Button busy={busy} onPress={again}>
						{say("tryAgain")}
					</Button>
				</div>
			)}
		</section>
	);
}
