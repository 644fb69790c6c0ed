import { useEffect, useState } from "preact/hooks";
import { Button } from "../../../kit/button";
import { Form, PasswordField, TextField } from "../../../kit/field";
import { Note, Skeleton } from "../../../kit/layout";
import { nameError } from "../../../kit/names";
import { acceptInvitation, inspectInvitation, type Invited } from "../../data/joining";
import type { Failure } from "../../data/request";
import { Heading } from "../../shell/heading";
import { ErrorPage, FailureNote } from "../../shell/errorpage";
import { t } from "../../words/words";
import { type LinkScreenProps, Onward } from "./confirmemail";
import { useCountdown } from "./countdown";
import { newPasswordProblem } from "./fields";
import { defaultWait, Wait } from "./wait";
import { w } from "./words";

/** What is known about the link. */
type State =
	| { readonly is: "asking" }
	| { readonly is: "failed"; readonly failure: Failure; readonly at: Date }
	| { readonly is: "open"; readonly invited: Invited }
	| { readonly is: "dead" }
	| { readonly is: "joined"; readonly email: string };

/**
 * Joins by an invitation. Opening the link has no effect; a person has to press the button. A person who is
 * signed in with another account stays signed in.
 */
export function Join({ app, token, signedIn, finish }: LinkScreenProps) {
	const [state, setState] = useState<State>({ is: "asking" });
	const ask = async () => {
		const found = await inspectInvitation(app.platform, token);
		if (found.ok) setState({ is: "open", invited: found.value });
		else if (found.status === 404 || found.status === 400) setState({ is: "dead" });
		else setState({ is: "failed", failure: found, at: new Date() });
	};
	useEffect(() => void ask(), []);
	if (state.is === "asking") return <Skeleton />;
	if (state.is === "failed") return <ErrorPage failure={state.failure} at={state.at} retry={ask} />;

	const joined = async (email: string, password: string) => {
		app.email.value = email;
		if (!signedIn && (await app.platform.signIn(email, password)).ok) await app.session.arrived();
		if (!signedIn && app.session.who.peek().is === "person") finish();
		else setState({ is: "joined", email });
	};
	return (
		<>
			<Heading title={w("join")} />
			{state.is === "open" && (
				<JoinForm
					app={app}
					token={token}
					invited={state.invited}
					signedIn={signedIn}
					onJoined={joined}
					onDead={() => setState({ is: "dead" })}
				/>
			)}
			{state.is === "dead" && (
				<Note tone="bad" role="alert">
					<strong>{w("invitationDead")}</strong>
					<p>{w("invitationDeadHelp")}</p>
				</Note>
			)}
			{state.is === "joined" && (
				<Note tone="ok" role="alert">
					<strong>{w("joined")}</strong>
					<p>{w(signedIn ? "joinedBeside" : "joinedHelp", { email: state.email })}</p>
				</Note>
			)}
			<Onward signedIn={signedIn} done={state.is !== "open"} finish={finish} />
		</>
	);
}

interface JoinFormProps extends Omit<LinkScreenProps, "finish"> {
	readonly invited: Invited;
	onJoined(email: string, password: string): Promise<void>;
	onDead(): void;
}

function JoinForm({ app, token, invited: { email, name: proposed }, signedIn, ...props }: JoinFormProps) {
	const [name, setName] = useState(proposed ?? "");
	const [password, setPassword] = useState("");
	const [errors, setErrors] = useState<{ name?: string | undefined; password?: string | undefined }>({});
	const [failed, setFailed] = useState<{ failure: Failure; at: Date }>();
	const [busy, setBusy] = useState(false);
	const [left, waitFor] = useCountdown();
	const join = async () => {
		if (busy || left > 0) return;
		const wrong = { name: nameProblem(name.trim()), password: newPasswordProblem(password) };
		setErrors(wrong);
		if (wrong.name || wrong.password) return;
		setFailed(undefined);
		setBusy(true);
		const answer = await acceptInvitation(app.platform, { token, name: name.trim(), password });
		if (answer.ok) return props.onJoined(email, password);
		setBusy(false);
		if (answer.status === 404) props.onDead();
		else if (answer.status === 429) waitFor(answer.retryAfter ?? defaultWait);
		else if (answer.code === "PASSWORD_TOO_SHORT") setErrors({ password: w("tooShort", { count: 1 }) });
		else if (answer.code === "PASSWORD_TOO_LONG") setErrors({ password: w("tooLong") });
		else if (answer.status === 400) setErrors({ name: t("nameRefused") });
		else setFailed({ failure: answer, at: new Date() });
	};
	return (
		<Form onSubmit={join}>
			<p class="d-muted">{w("joinHelp")}</p>
			{signedIn && <Note>{w("joinBeside")}</Note>}
			<TextField
				label={w("email")}
				name="email"
				type="email"
				dir="ltr"
				autocomplete="username"
				readOnly
				value={email}
				onInput={() => undefined}
			/>
			<TextField
				label={w("yourName")}
				name="name"
				help={w("yourNameHelp")}
				autocomplete="name"
				required
				value={name}
				onInput={setName}
				error={errors.name}
			/>
			<PasswordField
				label={w("password")}
				help={w("passwordHelp")}
				autocomplete="new-password"
				value={password}
				onInput={setPassword}
				error={errors.password}
			/>
			{failed && <FailureNote failure={failed.failure} at={failed.at} />}
			{left > 0 && <Wait seconds={left} />}
			<Button submit kind="primary" wide busy={busy} busyWords={w("joining")} disabled={left > 0}>
				{w("join")}
			</Button>
		</Form>
	);
}

/** What is wrong with a name, by the server's limits. */
function nameProblem(name: string): string | undefined {
	return name === "" ? w("nameNeeded") : nameError(name, 200);
}
