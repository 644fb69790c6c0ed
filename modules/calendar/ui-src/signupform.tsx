import { Button, Form, Note, SelectField, TextField } from "@narthex/kit";
import { useState } from "preact/hooks";
import type { Answers, Question, Signed } from "./signup";
import type { SaySignUp, SignUpWordId } from "./signupwords";

/** Limits of the module's server side, in characters. */
const maxName = 100;
const maxEmail = 254;
const maxAnswer = 300;

interface SignUpFormProps {
	readonly say: SaySignUp;
	readonly questions: readonly Question[];
	/** The button's text. */
	readonly submit: string;
	/** Why the last attempt failed. */
	readonly refused: SignUpWordId | undefined;
	send(who: Signed): Promise<unknown>;
}

/** Name, address and the event's own questions. */
export function SignUpForm({ say, questions, submit, refused, send }: SignUpFormProps) {
	const [name, setName] = useState("");
	const [email, setEmail] = useState("");
	const [answers, setAnswers] = useState<Answers>({});
	const [problems, setProblems] = useState<Readonly<Record<string, SignUpWordId>>>({});
	const check = async () => {
		const found: Record<string, SignUpWordId> = {};
		if (name.trim() === "") found["name"] = "nameNeeded";
		if (!/^[^\s@"]+@[^\s@"]+$/.test(email.trim())) found["email"] = "emailNeeded";
		for (const { id = "", kind, required } of questions) {
			const answer = (answers[id] ?? "").trim();
			if (answer === "" && required) found[id] = "answerNeeded";
			if (kind === "number" && answer !== "" && !/^\d{1,5}$/.test(answer)) found[id] = "numberNeeded";
		}
		setProblems(found);
		if (Object.keys(found).length > 0) return;
		const asked = new Set(questions.map(({ id }) => id));
		const given = Object.entries(answers).filter(([id, answer]) => asked.has(id) && answer.trim() !== "");
		const language = say.language.startsWith("de") ? "de" : "en";
		await send({ name, email, language, answers: Object.fromEntries(given) });
	};
	const errorOf = (field: string) => problems[field] && say(problems[field]);
	return (
		<Form onSubmit={check}>
			<TextField
				label={say("name")}
				autocomplete="name"
				required
				maxLength={maxName}
				value={name}
				error={errorOf("name")}
				onInput={setName}
			/>
			<TextField
				label={say("email")}
				type="email"
				autocomplete="email"
				required
				dir="ltr"
				maxLength={maxEmail}
				value={email}
				help={say("emailHelp")}
				error={errorOf("email")}
				onInput={setEmail}
			/>
			{questions.map((question) => (
				<Asked
					key={question.id}
					{...{ say, question }}
					value={answers[question.id ?? ""] ?? ""}
					error={errorOf(question.id ?? "")}
					onInput={(value) => setAnswers((before) => ({ ...before, [question.id ?? ""]: value }))}
				/>
			))}
			{refused !== undefined && (
				<Note tone="bad" role="alert">
					<p>{say(refused)}</p>
				</Note>
			)}
			<div class="d-row">
				<Button submit kind="primary" busyWords={say("sending")}>
					{submit}
				</Button>
			</div>
		</Form>
	);
}

interface AskedProps {
	readonly say: SaySignUp;
	readonly question: Question;
	readonly value: string;
	readonly error: string | undefined;
	onInput(value: string): void;
}

function Asked({ say, question: { kind, text, required, choices = [] }, value, error, onInput }: AskedProps) {
	const shared = { label: text, optional: !required, value, error, onInput };
	if (kind === "text") return <TextField {...shared} required={required} maxLength={maxAnswer} />;
	if (kind === "number") return <TextField {...shared} required={required} type="number" />;
	const options =
		kind === "yesno"
			? (["yes", "no"] as const).map((one) => ({ value: one, label: say(one) }))
			: choices.map((one) => ({ value: one, label: one }));
	return <SelectField {...shared} options={[{ value: "", label: say("choose") }, ...options]} />;
}

/** An answer in words. */
export const inWords = (say: SaySignUp, { kind }: Question, answer = ""): string =>
	kind === "yesno" && (answer === "yes" || answer === "no") ? say(answer) : answer;
