import { Button, ScreenHeader, Segments, Skeleton, ZoneNote } from "@narthex/kit";
import { useEffect, useState } from "preact/hooks";
import type { Refusal } from "./api";
import { Unread } from "./lists";
import { Chorded } from "./now";
import type { Sheet } from "./plan";
import type { Tools } from "./tools";

interface SheetProps {
	readonly tools: Tools;
	readonly id: string;
}

const forms = ["order", "words", "chords"] as const;
type Form = (typeof forms)[number];

/** An order of service as it is printed: alone, with the words, or with their chords, too. */
export function SheetScreen({ tools, id }: SheetProps) {
	const { context, api, say, time } = tools;
	const [sheet, setSheet] = useState<Sheet>();
	const [refused, setRefused] = useState<Refusal>();
	const [form, setForm] = useState<Form>("order");
	const load = async () => {
		const result = await api.sheet(id);
		if (context.signal.aborted) return;
		setRefused(result.ok ? undefined : result.why);
		if (!result.ok) return;
		setSheet(result.value);
		context.setTitle(result.value.title);
	};
	useEffect(() => {
		context.setTitle(say("service"));
		void load();
	}, []);
	if (sheet === undefined) {
		return refused === undefined ? <Skeleton rows={6} /> : <Unread tools={tools} why={refused} retry={load} />;
	}
	const chorded = sheet.items.some(({ parts }) => parts.some(({ chords }) => chords !== undefined));
	return (
		<>
			<ScreenHeader
				sub={
					<>
						{time(sheet.startsAt)}
						<ZoneNote after />
					</>
				}
				actions={
					<>
						<Button onPress={() => context.navigate(`service/${id}`)}>{say("toOrder")}</Button>
						<Button kind="primary" icon="print" onPress={() => print()}>
							{say("print")}
						</Button>
					</>
				}
			/>
			<div class="toolbar d-off-paper">
				<Segments
					name="form"
					label={say("onPaper")}
					chosen={form}
					segments={forms
						.filter((one) => one !== "chords" || chorded)
						.map((one) => ({ id: one, label: say(`paper.${one}`) }))}
					onChoose={(to) => setForm(to as Form)}
				/>
			</div>
			<Items tools={tools} sheet={sheet} form={form} />
		</>
	);
}

interface ItemsProps {
	readonly tools: Tools;
	readonly sheet: Sheet;
	readonly form: Form;
}

function Items({ tools: { say, hour, minutes }, sheet, form }: ItemsProps) {
	const capoOf = (at: number) => `${say("capo")}: ${say("capoAt", { at })}`;
	let at = Date.parse(sheet.startsAt);
	return (
		<ol class="sheet">
			{sheet.items.map((item) => {
				const begins = at;
				at += item.seconds * 1000;
				return (
					<li key={item.id}>
						<span class="when">{hour(begins)}</span>
						<div>
							<h2>
								<bdi>{item.title}</bdi>
							</h2>
							<p class="d-second">
								{[
									say(item.kind),
									...(item.seconds > 0 ? [minutes(item.seconds)] : []),
									...(form === "chords" && item.capo > 0 ? [capoOf(item.capo)] : []),
								].join(" · ")}
							</p>
							{form !== "order" && <Parts item={item} chords={form === "chords"} />}
						</div>
					</li>
				);
			})}
		</ol>
	);
}

interface PartsProps {
	readonly item: Sheet["items"][number];
	readonly chords: boolean;
}

/** The words of an item, and whose they are. */
function Parts({ item: { parts, credit, copyright, ccli }, chords }: PartsProps) {
	const whose = [credit, copyright, ccli && `CCLI ${ccli}`].filter((text) => text !== "");
	return (
		<>
			{parts.map((part, n) => (
				<div key={n} class="part" dir="auto">
					{part.label !== "" && <h3>{part.label}</h3>}
					{chords && part.chords !== undefined ? (
						<div class="chorded">
							{part.lines.map((line, at) => {
								const above = part.chords?.[at] ?? [];
								return above.length > 0 ? <Chorded key={at} line={line} chords={above} /> : <p key={at}>{line}</p>;
							})}
						</div>
					) : (
						part.lines.length > 0 && <p class="lines">{part.lines.join("\n")}</p>
					)}
				</div>
			))}
			{whose.length > 0 && (
				<p class="d-second" dir="auto">
					{whose.join(" · ")}
				</p>
			)}
		</>
	);
}
