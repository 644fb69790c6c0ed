import { Button, Chip, Menu } from "@narthex/kit";
import type { Answer, MyDate } from "./api";
import type { Times } from "./tools";
import type { Say } from "./words";

export interface DatesProps {
	readonly say: Say;
	readonly times: Times;
	readonly dates: readonly MyDate[];
	answer(date: MyDate, answer: Answer): Promise<unknown>;
	/** Looks for somebody who takes a date over; none where there is no room for it. */
	seek?(date: MyDate): Promise<unknown>;
}

const chips = {
	open: { tone: "info", door: "half" },
	yes: { tone: "ok", door: "lit" },
	no: { tone: "plain", door: "shut" },
} as const;

const answers = ["yes", "no", "away"] as const;

/** A person's own dates. Requests have buttons for the response; a response can be changed. */
export function Dates({ say, times, dates, answer, seek }: DatesProps) {
	return (
		<ul class="dates d-stack">
			{dates.map((date) => {
				const { id, service, role, status, was, others, seeking } = date;
				const about = `${role}, ${times.moment(service.start)}`;
				return (
					<li key={id}>
						<div class="about">
							<strong>{times.moment(service.start)}</strong>
							<div dir="auto">{role}</div>
							<div class="d-muted" dir="auto">
								{service.title}
							</div>
							{others.length > 0 && (
								<div class="d-muted" dir="auto">
									{say("servesTogether", {
										people: others.map(({ role, name }) => `${name} (${role})`).join(", "),
									})}
								</div>
							)}
							{was !== null && status === "open" && (
								<Chip tone="warn">{say("wasThen", { when: times.moment(was) })}</Chip>
							)}
						</div>
						{status === "open" ? (
							<div class="d-row">
								{answers.map((word) => (
									<Button
										key={word}
										label={say("answerTo", { answer: say(`answer.${word}`), about })}
										onPress={() => answer(date, word)}
									>
										{say(`answer.${word}`)}
									</Button>
								))}
							</div>
						) : (
							<div class="d-row">
								<Chip {...chips[status]}>{say(`said.${status}`)}</Chip>
								{seeking && <Chip tone="warn">{say("seeking")}</Chip>}
								<Menu
									label={say("changeAnswer", { about })}
									items={[
										...(seek && status === "yes" && !seeking
											? [{ id: "seek", label: say("seek"), onPick: () => seek(date) }]
											: []),
										...answers
											.filter((word) => word !== status || seeking)
											.map((word) => ({
												id: word,
												label: say(word === "yes" && seeking ? "seekNoMore" : `answer.${word}`),
												onPick: () => answer(date, word),
											})),
									]}
								/>
							</div>
						)}
					</li>
				);
			})}
		</ul>
	);
}
