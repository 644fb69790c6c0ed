import { Button } from "@narthex/kit";
import { useEffect, useMemo } from "preact/hooks";
import { ownApi } from "./signup";
import { SignUpPage } from "./signuppage";
import { signUpWordsOf } from "./signupwords";
import type { Tools } from "./tools";

/** Somebody who is signed in signs up for an event, or withdraws. */
export function OwnSignUpPage({ tools: { context }, id }: { readonly tools: Tools; readonly id: string }) {
	const say = useMemo(() => signUpWordsOf(context), []);
	const api = useMemo(() => ownApi(context, id), [id]);
	useEffect(() => context.setTitle(say("signUp")), []);
	return (
		<div class="narrow">
			<SignUpPage {...{ api, say }} signal={context.signal} tell={(words) => context.announce(words)}>
				<Button onPress={() => context.navigate("")}>{say("toCalendar")}</Button>
			</SignUpPage>
		</div>
	);
}
