import { useEffect, useState } from "preact/hooks";
import { Button } from "../../../kit/button";
import { Form, TextField } from "../../../kit/field";
import { Note } from "../../../kit/layout";
import type { App } from "../../app/app";
import { hasPasskeys } from "../../data/credential";
import { askForPasskey, signInByCode, signInByPasskey } from "../../data/passkeys";
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
	const [missing, setMissing] = useState(false);
	const [wrong, setWrong] = useState<string>();
	const [over, setOver] = useState<string>(); // why nothing but a new sign-in helps
	const [failed, setFailed] = useState<{ readonly failure: Failure; readonly at: Date }>();
	const forget = () => {
		setMissing(false);
		setWrong(undefined);
		setFailed(undefined);
	};
	const arrive = async (result: Result<object>): Promise<void> => {
		if (result.ok) return app.session.arrived();
		if (result.status === 429) return setOver(w("tooManyTries"));
		if (result.code !== "SECOND_FACTOR_INVALID") return setFailed({ failure: result, at: new Date() });
		// a sign-in that has expired gets the same answer: a right code must not be called wrong then
		const asked = await askForPasskey(app.platform);
		if (!asked.ok && asked.code === result.code) return setOver(w("tooLate"));
		setWrong(w(byCode ? "codeWrong" : "notAccepted"));
	};
	const attempt = async (send: () => Promise<Result<object>>): Promise<void> => {
		forget();
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
		if (typed !== "") return attempt(() => signInByCode(app.platform, typed));
		forget();
		setMissing(true);
	};
	useEffect(() => {
		if (able) void usePasskey();
	}, []);
	if (over !== undefined) {
		return (
			<>
				<Heading key="over" title={w("secondStep")} />
				<Wrong words={over} />
				<Button kind="primary" wide onPress={again}>
					{w("beginAgain")}
				</Button>
			</>
		);
	}
	const told = (
		<>
			{wrong && <Wrong words={wrong} />}
			{failed && <FailureNote failure={failed.failure} at={failed.at} />}
		</>
	);
	return (
		<>
			<Heading title={w("secondStep")} />
			{byCode ? (
				<Form onSubmit={useCode}>
					<p>{w(able ? "codeHelp" : "notHereCode")}</p>
					<TextField
						label={w("recoveryCode")}
						autocomplete="off"
						dir="ltr"
						value={code}
						onInput={setCode}
						error={missing ? w("codeNeeded") : undefined}
					/>
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
						forget();
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

function Wrong({ words }: { readonly words: string }) {
	return (
		<Note tone="bad" role="alert">
			<p>{words}</p>
		</Note>
	);
}
