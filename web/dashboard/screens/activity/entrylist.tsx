import { localTime, zoneOf } from "../../../kit/house";
import { Tile } from "../../../kit/layout";
import { initialsOf } from "../../../kit/person";
import type { Entry } from "../../data/activity";
import { fullDay, hourTime } from "../../words/times";
import { emphasised, keysOf, type Known, sentenceOf } from "./sentences";
import { w } from "./words";

interface EntryListProps {
	readonly entries: readonly Entry[];
	readonly known: Known;
}

/**
 * The entries, newest first, grouped by the day of the house. Entries that follow each other and
 * look the same are one line with their number.
 */
export function EntryList({ entries, known }: EntryListProps) {
	const days = new Map<string, Entry[]>();
	for (const entry of entries) {
		const day = localTime(entry.at).slice(0, 10);
		days.set(day, [...(days.get(day) ?? []), entry]);
	}
	return (
		<div class="host-days">
			{[...days].map(([day, of]) => (
				<section key={day}>
					<h2>{headOf(new Date(of[0]?.at ?? day))}</h2>
					<ul>
						{linesOf(of, known).map((line) => (
							<Row key={line.newest.id} line={line} known={known} />
						))}
					</ul>
				</section>
			))}
		</div>
	);
}

/** Entries that look the same, with the newest and the oldest of them. */
interface Line {
	readonly newest: Entry;
	readonly oldest: Entry;
	readonly count: number;
	readonly looks: string;
	readonly sentence: string;
}

/** Lines of entries that follow each other. People of the same name are not the same. */
function linesOf(entries: readonly Entry[], known: Known): Line[] {
	const lines: Line[] = [];
	for (const entry of entries) {
		const { actor, subject } = entry;
		const sentence = sentenceOf(entry, known);
		const person = subject.kind === "person" ? subject.id : known.joined.get(subject.id);
		const looks = [actor.kind, actor.userId, person, sentence, keysOf(entry, known)].join(" ");
		const last = lines.at(-1);
		if (last?.looks === looks) lines.splice(-1, 1, { ...last, oldest: entry, count: last.count + 1 });
		else lines.push({ newest: entry, oldest: entry, count: 1, looks, sentence });
	}
	return lines;
}

interface RowProps {
	readonly line: Line;
	readonly known: Known;
}

function Row({ line: { newest, oldest, count, sentence }, known }: RowProps) {
	const keys = keysOf(newest, known);
	const [first, last] = [hourTime(oldest.at), hourTime(newest.at)];
	return (
		<li data-row={newest.id}>
			<time dateTime={newest.at}>{last}</time>
			<Actor entry={newest} known={known} />
			<div>
				<p>{emphasised(sentence)}</p>
				{keys !== "" && (
					<p class="d-second">
						<bdi>{keys}</bdi>
					</p>
				)}
				{count > 1 && (
					<p class="d-second">{w(first === last ? "times" : "timesBetween", { count, first, last })}</p>
				)}
			</div>
		</li>
	);
}

const icons: Readonly<Record<string, string>> = { person: "person", screen: "screen" };

function Actor({ entry: { actor }, known }: { readonly entry: Entry; readonly known: Known }) {
	const name = actor.kind === "person" && known.people.get(actor.userId ?? "");
	if (name) return <Tile initials={initialsOf(name)} lit />;
	return <Tile icon={icons[actor.kind] ?? "sliders"} />;
}

/** A day with its time zone, because the offset differs between days. */
const headOf = (at: Date): string =>
	w("dayIn", {
		day: fullDay(at),
		zone: zoneOf(at),
	});
