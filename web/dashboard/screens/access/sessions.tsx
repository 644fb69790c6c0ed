import { Button } from "../../../kit/button";
import { Chip } from "../../../kit/chip";
import type { App } from "../../app/app";
import { endSession, type OwnSession, readSessions } from "../../data/sessions";
import { Loaded } from "../../shell/loaded";
import { refuse } from "../../shell/refusal";
import { ago, day } from "../../words/times";
import { useOwn } from "./own";
import { w } from "./words";

const permission = "core.account.read";

/** Where the person is signed in. Each session but this browser's can be ended; this one signs out. */
export function Sessions({ app }: { readonly app: App }) {
	const sessions = useOwn(app, () => readSessions(app.platform));
	const end = async (session: OwnSession) => {
		const browser = nameOf(session);
		const sure = await app.questions.ask({
			title: w("endTitle"),
			body: [w("endEffect", { browser })],
			yes: w("endSession"),
			no: w("keepSession"),
			danger: true,
		});
		if (!sure) return;
		const answer = await app.data.write(endSession(app.platform, session.id), sessions);
		if (!answer.ok) return refuse(app, answer, permission, () => void end(session));
		app.announce(w("sessionEnded"));
	};
	return (
		<section class="host-listed">
			<div>
				<h2>{w("sessions")}</h2>
				<p class="d-muted">{w("sessionsHelp")}</p>
			</div>
			<Loaded resource={sessions} permission={permission} part>
				{(value) => (
					<ul class="host-own">
						{value.sessions.map((session) => (
							<li key={session.id} class="d-row">
								<div>
									<p class="d-row">
										<span>{nameOf(session)}</span>
										{session.current && <Chip tone="ok">{w("thisBrowser")}</Chip>}
									</p>
									<p class="d-muted">{timesOf(app, session)}</p>
								</div>
								{!session.current && (
									<Button
										small
										label={w("endNamed", { browser: nameOf(session) })}
										onPress={() => end(session)}
									>
										{w("endSession")}
									</Button>
								)}
							</li>
						))}
					</ul>
				)}
			</Loaded>
		</section>
	);
}

const nameOf = (session: OwnSession): string => session.description || w("unknownBrowser");

function timesOf(app: App, session: OwnSession): string {
	const since = day(session.createdAt);
	if (session.current) return w("sinceTime", { since });
	return w("sessionTimes", { since, seen: ago(session.lastSeenAt, app.clock.now()) });
}
