import { useEffect, useState } from "preact/hooks";
import { Button } from "../../../kit/button";
import { Form, TextField } from "../../../kit/field";
import { Note } from "../../../kit/layout";
import type { App } from "../../app/app";
import { hasPasskeys } from "../../data/credential";
import { signInByCode, signInByPasskey } from "../../data/passkeys";
import type { Failure, Result } from "../../data/request";
import { FailureNote } from "../../shell/errorpage";
import { Heading } from "../../shell/heading";
import { w } from "./words";

interface SecondStepProps {
	readonly app: App;
	/** Begins again with the password. */
	again(): void;
}

/** The second step of a sign-in, after the right password: a passkey, or a recovery code. */
export function SecondStep({ app, again }: SecondStepProps) {
	const able = hasPasskeys();
	const [byCode, setByCode] = useState(!able);
	const [code, setCode] = useState("");
	const [wrong, setWrong] = useState<string>();
	const [failed, setFailed] = useState<{ readonly failure: Failure; readonly at: Date }>();
	const arrive = async (result: Result<object>): Promise<void> => {
		if (result.ok) return app.session.arrived();
		if (result.code === "SECOND_FACTOR_INVALID") return setWrong(w(byCode ? "codeWrong" : "notAccepted"));
		if (result.status === 429) return setWrong(w("tooManyTries"));
		setFailed({ failure: result, at: new Date() });
	};
	const attempt = async (send: () => Promise<Result<object>>): Promise<void> => {
		setWrong(undefined);
		setFailed(undefined);
		try {
			await arrive(await send());
		} catch (error) {
			// the browser does not say whether the person has stopped it or has the passkey elsewhere
			setWrong(w((error as DOMException).name === "NotFoundError" ? "elsewhere" : "notConfirmed"));
		}
	};
	const usePasskey = () => attempt(() => signInByPasskey(app.platform));
	const useCode = async () => {
		const typed = code.trim();
		if (typed === "") return setWrong(w("codeNeeded"));
		await attempt(() => signInByCode(app.platform, typed));
	};
	useEffect(() => {
		if (able) void usePasskey();
	}, []);
	const told = (
		<>
			{wrong && (
				<Note tone="bad" role="alert">
					<p>{wrong}</p>
				</Note>
			)}
			{failed && <FailureNote failure={failed.failure} at={failed.at} />}
		</>
	);
	return (
		<>
			<Heading title={w("secondStep")} />
			{byCode ? (
				<Form onSubmit={useCode}>
					<p>{w(able ? "codeHelp" : "notHereCode")}</p>
					<TextField label={w("recoveryCode")} autocomplete="off" value={code} onInput={setCode} />
					{told}
					<Button submit kind="primary" wide>
						{w("useCode")}
					</Button>
				</Form>
			) : (
				<div class="d-stack">
					<p>{w("passkeyHelp")}</p>
					{told}
					<Button kind="primary" wide onPress={usePasskey}>
						{w("usePasskey")}
					</Button>
				</div>
			)}
			{able && (
				<Button
					kind="text"
					wide
					onPress={() => {
						setByCode(!byCode);
						setWrong(undefined);
					}}
				>
					{w(byCode ? "usePasskey" : "useCodeInstead")}
				</Button>
			)}
			<Button kind="text" wide onPress={again}>
				{w("beginAgain")}
			</Button>
			<p class="d-muted">{w("lost")}</p>
		</>
	);
}
