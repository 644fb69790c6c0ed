import type { App } from "../../app/app";
import { nameAndAddress } from "../../app/people";
import { decide, type Member } from "../../data/people";
import type { Failure } from "../../data/request";
import type { Resource } from "../../data/resource";
import { refuse } from "../../shell/refusal";
import { holds, manageGrants, managePeople } from "../modules/permissions";
import { w } from "./words";

/** Deactivates a person, after the caller has confirmed the consequences. */
export async function deactivate(
	app: App,
	member: Member,
	changed: readonly Resource<unknown>[],
): Promise<void> {
	const agreed = await app.questions.ask({
		title: w("deactivateTitle", { name: nameAndAddress(member) }),
		body: [w("deactivateStops"), w("deactivateOpen"), w("deactivateLinks"), w("deactivateKeeps")],
		yes: w("deactivateIt"),
		no: w("leaveActive"),
		danger: true,
	});
	if (agreed) await run(app, member, "deactivate", changed);
}

export const reactivate = (
	app: App,
	member: Member,
	changed: readonly Resource<unknown>[],
): Promise<void> => run(app, member, "reactivate", changed);

/** Asks a person by mail to add a passkey. */
export async function remind(app: App, member: Member): Promise<void> {
	const name = nameAndAddress(member);
	const answer = await app.data.write(decide(app.platform, member.userId, "remind"));
	if (answer.ok) return app.announce(w("reminded", { name }));
	if (answer.status === 429) return app.announce(w("remindedToday", { name }), "assertive");
	refuse(app, answer, managePeople, () => remind(app, member));
}

async function run(
	app: App,
	member: Member,
	what: "deactivate" | "reactivate",
	changed: readonly Resource<unknown>[],
): Promise<void> {
	const name = nameAndAddress(member);
	const answer = await app.data.write(decide(app.platform, member.userId, what), ...changed);
	const done = what === "deactivate" ? "deactivatedNow" : "reactivatedNow";
	if (answer.ok) return app.announce(w(done, { name }));
	const outlives = what === "reactivate" && answer.status === 403 && holds(app, manageGrants);
	const words = outlives ? w("outlivesYours", { name }) : refusalAbout(app, member, answer);
	if (words !== undefined) app.announce(words, "assertive");
	else refuse(app, answer, managePeople, () => run(app, member, what, changed));
}

/** What a refusal means for this person, if it is more than a general failure. */
export function refusalAbout(app: App, member: Member, failure: Failure): string | undefined {
	const name = nameAndAddress(member);
	if (failure.status === 403 && !holds(app, manageGrants)) return w("needsGrants", { name });
	switch (failure.code) {
		case "PERSON_PROTECTED":
			return w("protected");
		case "PERSON_ACTIVE":
			return w("stillActive", { name });
		case "PERSON_ERASED":
			return w("erasedAlready");
		case "USER_NOT_FOUND":
			return w("gone");
		default:
			return undefined;
	}
}
