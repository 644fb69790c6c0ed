import { Button } from "@narthex/kit";
import { useEffect, useMemo } from "preact/hooks";
import { ownApi } from "./signup";
import { SignUpPage } from "./signuppage";
import { signUpWordsOf } from "./signupwords";
import type { Tools } from "./tools";

interface OwnSignUpPageProps {
	readonly tools: Tools;
	readonly id: string;
	/** Of a series; "" for none. */
	readonly date: string;
}

/** Somebody who is signed in signs up for an event, or for one date of it, or withdraws. */
export function OwnSignUpPage({ tools: { context }, id, date }: OwnSignUpPageProps) {
	const say = useMemo(() => signUpWordsOf(context), []);
	const api = useMemo(() => ownApi(context, id, date), [id, date]);
	useEffect(() => context.setTitle(say("signUp")), []);
	return (
		<div class="narrow">
			<SignUpPage {...{ api, say }} signal={context.signal} tell={(words) => context.announce(words)}>
				<Button onPress={() => context.navigate("")}>{say("toCalendar")}</Button>
			</SignUpPage>
		</div>
	);
}
