import type { ComponentType } from "preact";
import { useRef, useState } from "preact/hooks";
import { Button } from "../../../kit/button";
import { Form, PasswordField } from "../../../kit/field";
import { Note } from "../../../kit/layout";
import { account } from "../../app/laterscript";
import type { App } from "../../app/app";
import type { Failure } from "../../data/request";
import { Heading } from "../../shell/heading";
import { FailureNote } from "../../shell/errorpage";
import { w } from "./words";
import { useCountdown } from "./countdown";
import { EmailField, emailProblem } from "./fields";
import { LinkRequest } from "./linkrequest";
import { defaultWait, Wait } from "./wait";

interface SecondProps {
	readonly app: App;
	again(): void;
}

/** Few people have a passkey, so that the second step is in the script that is loaded when it is needed. */
const secondStep = account<SecondProps>((screens) => screens.SecondStep);

/** The result of pressing "Sign in". */
type Outcome =
	| { readonly is: "refused"; readonly words: string }
	| { readonly is: "unverified"; readonly email: string }
	| { readonly is: "failed"; readonly failure: Failure; readonly at: Date };

/**
 * Signs in. It stores nothing and redirects nowhere: the cookie and the principal decide what is shown next.
 */
export function SignIn({ app, forgot }: { readonly app: App; forgot(): void }) {
	const email = app.email.value;
	const [password, setPassword] = useState("");
	const [errors, setErrors] = useState<{ email?: string | undefined; password?: string | undefined }>({});
	const [outcome, setOutcome] = useState<Outcome>();
	const [busy, setBusy] = useState(false);
	const [left, waitFor] = useCountdown();
	const emailInput = useRef<HTMLInputElement>(null);
	const [Second, setSecond] = useState<ComponentType<SecondProps>>();

	const submit = async () => {
		if (busy || left > 0) return;
		const address = email.trim();
		const wrong = {
			email: emailProblem(address),
			password: password === "" ? w("passwordNeeded") : undefined,
		};
		setErrors(wrong);
		if (wrong.email || wrong.password) return;
		setOutcome(undefined);
		setBusy(true);
		const result = await app.platform.signIn(address, password);
		if (result.ok) {
			await app.session.arrived();
			if (app.session.who.peek().is === "anonymous") setOutcome({ is: "refused", words: w("cookieNotKept") });
			setBusy(false);
			return;
		}
		const second = result.code === "SECOND_FACTOR_REQUIRED" && (await secondStep().catch(() => undefined));
		setBusy(false);
		if (second) return setSecond(() => second);
		if (result.status === 429) waitFor(result.retryAfter ?? defaultWait);
		else if (result.code === "INVALID_EMAIL") setErrors({ email: w("emailForm") });
		else setOutcome(outcomeOf(result, address));
	};

	const again = () => {
		setPassword("");
		setSecond(undefined);
	};
	if (Second) return <Second app={app} again={again} />;
	return (
		<>
			<Heading title={w("signIn")} />
			<Form onSubmit={submit}>
				<EmailField
					value={email}
					change={(value) => (app.email.value = value)}
					error={errors.email}
					input={emailInput}
				/>
				<PasswordField
					label={w("password")}
					autocomplete="current-password"
					value={password}
					onInput={setPassword}
					error={errors.password}
				/>
				{outcome?.is === "refused" && (
					<Note tone="bad" role="alert">
						<p>{outcome.words}</p>
					</Note>
				)}
				{outcome?.is === "failed" && <FailureNote failure={outcome.failure} at={outcome.at} />}
				{left > 0 && <Wait seconds={left} />}
				<Button submit kind="primary" wide busy={busy} busyWords={w("signingIn")} disabled={left > 0}>
					{w("signIn")}
				</Button>
			</Form>
			{outcome?.is === "unverified" && (
				<>
					<Note tone="warn" role="alert">
						<strong>{w("confirmFirst")}</strong>
						<p>{w("confirmFirstHelp")}</p>
					</Note>
					<LinkRequest app={app} purpose="verify-email" email={outcome.email} label={w("sendLinkAgain")} />
				</>
			)}
			<Button kind="text" wide onPress={forgot}>
				{w("forgotPassword")}
			</Button>
		</>
	);
}

function outcomeOf(failure: Failure, email: string): Outcome {
	if (failure.code === "EMAIL_NOT_VERIFIED") return { is: "unverified", email };
	if (failure.code === "SECOND_FACTOR_REQUIRED") return { is: "refused", words: w("factorNeeded") };
	if (failure.status === 401) return { is: "refused", words: w("wrongPair") };
	if (failure.status === 403) return { is: "refused", words: w("untrustedAddress") };
	return { is: "failed", failure, at: new Date() };
}
