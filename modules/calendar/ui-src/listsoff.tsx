import { useEffect, useState } from "preact/hooks";
import { pathOf } from "./pages";
import type { SignUpDate } from "./signedup";
import type { Tools } from "./tools";
import { whenOf } from "./when";

interface ListsOffProps {
	readonly tools: Tools;
	readonly event: string;
	close(): void;
}

/** The lists of dates that do not take place, which the calendar shows nowhere, for organisers. */
export function ListsOff({ tools: { api, context, forms, say }, event, close }: ListsOffProps) {
	const [dates, setDates] = useState<readonly SignUpDate[]>([]);
	useEffect(() => {
		void api
			.signUpDates(event)
			.then((lists) => lists.ok && !context.signal.aborted && setDates(lists.value.dates));
	}, []);
	const off = dates.filter((one) => one.off && one.people > 0);
	if (off.length === 0) return null;
	return (
		<section class="lists-off" aria-label={say("listsOff")}>
			<p class="d-muted">{say("listsOff")}</p>
			<ul>
				{off.map((one) => (
					<li key={one.date}>
						<button
							type="button"
							class="d-text"
							onClick={() => {
								close();
								context.navigate(`signups/${pathOf(event, one.date)}`);
							}}
						>
							{say("listOff", { date: whenOf(forms, one), count: one.people })}
						</button>
					</li>
				))}
			</ul>
		</section>
	);
}
