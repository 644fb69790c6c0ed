import { zoneOf } from "../../../kit/field";
import { Tile } from "../../../kit/layout";
import { initialsOf } from "../../../kit/person";
import type { Entry } from "../../data/activity";
import { locale } from "../../words/words";
import { keysOf, type Known, sentenceOf } from "./sentences";
import { w } from "./words";

interface EntryListProps {
	readonly entries: readonly Entry[];
	readonly known: Known;
}

/** The entries, newest first, grouped by day in the reader's time zone. */
export function EntryList({ entries, known }: EntryListProps) {
	const days = new Map<string, Entry[]>();
	for (const entry of entries) {
		const day = new Date(entry.at).toDateString();
		days.set(day, [...(days.get(day) ?? []), entry]);
	}
	return (
		<div class="host-days">
			{[...days].map(([day, of]) => (
				<section key={day}>
					<h2>{headOf(new Date(of[0]?.at ?? day))}</h2>
					<ul>
						{of.map((entry) => (
							<li key={entry.id} data-row={entry.id}>
								<time dateTime={entry.at}>{timeOf(entry.at)}</time>
								<Actor entry={entry} known={known} />
								<div>
									<p>{sentenceOf(entry, known)}</p>
									{keysOf(entry) !== "" && (
										<p class="d-second">
											<bdi>{keysOf(entry)}</bdi>
										</p>
									)}
								</div>
							</li>
						))}
					</ul>
				</section>
			))}
		</div>
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
		day: new Intl.DateTimeFormat(locale.value.tag, { dateStyle: "full" }).format(at),
		zone: zoneOf(at),
	});

const timeOf = (at: string): string =>
	new Intl.DateTimeFormat(locale.value.tag, { hour: "2-digit", minute: "2-digit" }).format(new Date(at));
