import { Button, Checkbox, clockError, Form, MomentField, Note, SelectField, TextField } from "@narthex/kit";
import { useRef, useState } from "preact/hooks";
import type { ListResult, Sheet } from "./listapi";
import type { SayList } from "./listwords";
import {
	draftOfSheet, maxQuestion, maxQuestions, newQuestion, problemsOfSheet, type QuestionDraft, type SheetDraft,
	type SheetProblems, sheetOf,
} from "./sheetdraft";
import type { Kind } from "./signup";

interface SheetFormProps {
	readonly say: SayList;
	/** null: the event takes no sign-ups yet. */
	readonly sheet: Sheet | null;
	/** Something is typed that is not saved. */
	touched(): void;
	save(sheet: Sheet): Promise<ListResult<unknown>>;
	cancel(): void;
}

/** How many places there are, until when, and what is asked. */
export function SheetForm({ say, sheet, touched, save, cancel }: SheetFormProps) {
	const [draft, setDraft] = useState(() => draftOfSheet(sheet));
	const [problems, setProblems] = useState<SheetProblems>({});
	const [refused, setRefused] = useState("");
	const keys = useRef(draft.questions.length);
	const change = (part: Partial<SheetDraft>) => {
		setDraft((before) => ({ ...before, ...part }));
		touched();
	};
	const ask = (key: number, part: Partial<QuestionDraft>) =>
		change({ questions: draft.questions.map((one) => (one.key === key ? { ...one, ...part } : one)) });
	const submit = async () => {
		const found = problemsOfSheet(draft);
		setProblems(found);
		if (Object.keys(found).length > 0 || clockError(draft.closes) !== undefined) return;
		const result = await save(sheetOf(draft));
		setRefused(result.ok ? "" : say(result.why));
	};
	const wrong = (field: string) => problems[field] && say(problems[field]);
	return (
		<Form onSubmit={submit}>
			<TextField
				label={say("places")}
				optional
				type="number"
				value={draft.places}
				help={say("placesHelp")}
				error={wrong("places")}
				onInput={(places) => change({ places })}
			/>
			<Checkbox label={say("queue")} checked={draft.queue} onChange={(queue) => change({ queue })} />
			<MomentField
				label={say("closes")}
				optional
				ending
				value={draft.closes}
				help={say("closesHelp")}
				onInput={(closes) => change({ closes })}
			/>
			<h2>{say("questions")}</h2>
			<p class="d-muted">{say("questionsHelp")}</p>
			{draft.questions.map((question, at) => (
				<QuestionFields
					key={question.key}
					{...{ say, question, wrong }}
					number={at + 1}
					change={(part) => ask(question.key, part)}
					remove={() => change({ questions: draft.questions.filter(({ key }) => key !== question.key) })}
				/>
			))}
			{draft.questions.length < maxQuestions && (
				<div class="d-row">
					<Button
						icon="plus"
						onPress={() => change({ questions: [...draft.questions, newQuestion(keys.current++)] })}
					>
						{say("addQuestion")}
					</Button>
				</div>
			)}
			{refused !== "" && (
				<Note tone="bad" role="alert">
					<p>{refused}</p>
				</Note>
			)}
			<div class="d-row">
				<Button submit kind="primary" busyWords={say("saving")}>
					{say(sheet === null ? "open" : "save")}
				</Button>
				<Button onPress={cancel}>{say("cancel")}</Button>
			</div>
		</Form>
	);
}

const kinds: readonly Kind[] = ["text", "number", "choice", "yesno"];

interface QuestionFieldsProps {
	readonly say: SayList;
	readonly question: QuestionDraft;
	readonly number: number;
	wrong(field: string): string | undefined;
	change(part: Partial<QuestionDraft>): void;
	remove(): void;
}

function QuestionFields({ say, question, number, wrong, change, remove }: QuestionFieldsProps) {
	const { key, kind, text, required, lines } = question;
	return (
		<fieldset class="d-card question">
			<legend>{say("question", { number })}</legend>
			<TextField
				label={say("questionWords")}
				required
				maxLength={maxQuestion}
				value={text}
				error={wrong(`${key}.text`)}
				onInput={(text) => change({ text })}
			/>
			<SelectField
				label={say("kind")}
				value={kind}
				options={kinds.map((one) => ({ value: one, label: say(`kind_${one}`) }))}
				onInput={(one) => change({ kind: one as Kind })}
			/>
			{kind === "choice" && (
				<TextField
					label={say("choices")}
					required
					lines={4}
					value={lines}
					help={say("choicesHelp")}
					error={wrong(`${key}.lines`)}
					onInput={(lines) => change({ lines })}
				/>
			)}
			<div class="d-row">
				<Checkbox
					label={say("required")}
					checked={required}
					onChange={(required) => change({ required })}
				/>
				<Button kind="quiet" icon="trash" label={say("removeQuestionOf", { number })} onPress={remove}>
					{say("removeQuestion")}
				</Button>
			</div>
		</fieldset>
	);
}
