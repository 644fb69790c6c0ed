import { Chip } from "@narthex/kit";
import { ownKind, type Slide, statusOf } from "./slide";
import { daysOf, type Tools } from "./tools";

const chips = {
	live: { tone: "ok", door: "lit" },
	scheduled: { tone: "info", door: "half" },
	paused: { tone: "info", door: "half" },
	ended: { tone: "plain", door: "shut" },
	off: { tone: "plain", door: "shut" },
} as const;

export interface SlideProps {
	readonly tools: Tools;
	readonly slide: Slide;
}

/** The chip of a slide: whether the board shows it, and why not. */
export function State({ tools: { say, kinds }, slide, now }: SlideProps & { readonly now: number }) {
	const status = statusOf(slide, now);
	if (slide.kind !== ownKind && !kinds.has(slide.kind)) {
		return (
			<Chip tone="warn" door="barred">
				{say("otherKind")}
			</Chip>
		);
	}
	return <Chip {...chips[status]}>{say(status)}</Chip>;
}

/** A slide for readers: its content, and whether the board shows it now. */
export function Read({ tools, slide, now }: SlideProps & { readonly now: number }) {
	const status = statusOf(slide, now);
	return (
		<li>
			<h2>
				<bdi>{slide.title}</bdi>
			</h2>
			{slide.body !== "" && (
				<p class="body" dir="auto">
					{slide.body}
				</p>
			)}
			<div class="d-row">
				{status !== "live" && <State tools={tools} slide={slide} now={now} />}
				<Times tools={tools} slide={slide} />
			</div>
		</li>
	);
}

/** The period in which a slide is shown, and when and where alone, in words. */
export function Times({ tools, slide: { startsAt, endsAt, only } }: SlideProps) {
	const { say, time } = tools;
	const period =
		startsAt === null
			? endsAt !== null && say("until", { time: time(endsAt) })
			: endsAt === null
				? say("from", { time: time(startsAt) })
				: say("fromUntil", { from: time(startsAt), until: time(endsAt) });
	const words = [
		period,
		only && daysOf(tools, only.weekdays),
		only?.hours && `${only.hours.from}–${only.hours.until}`,
		tools.manages && only && only.screens.join(", "),
	].filter(Boolean);
	return words.length === 0 ? null : <span class="d-second">{words.join(" · ")}</span>;
}
