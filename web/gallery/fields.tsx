import { useState } from "preact/hooks";
import { Button, CodeInput, Form, MomentField, PasswordField, TextField } from "../kit/index";
import { s } from "./german";
import { Part } from "./part";

export function Fields() {
	const [name, setName] = useState(s("Back wall"));
	const [password, setPassword] = useState("seven77");
	const [code, setCode] = useState("4829");
	const [title, setTitle] = useState("");
	const [problem, setProblem] = useState<string>();
	return (
		<Part name="Field">
			<TextField label={s("Name")} value={name} onInput={setName} />
			<TextField
				label={s("Reply to")}
				optional
				help={s("Answers go there.")}
				value=""
				onInput={() => undefined}
			/>
			<PasswordField
				label={s("New password")}
				autocomplete="new-password"
				value={password}
				onInput={setPassword}
				error={s("At least 8 characters: 1 more.")}
			/>
			<CodeInput label={s("Code on the screen")} value={code} onInput={setCode} />
			<Form onSubmit={() => setProblem(title === "" ? s("A notice needs a title.") : undefined)}>
				<TextField label={s("Title")} value={title} onInput={setTitle} error={problem} />
				<Button submit kind="primary">
					{s("Check the form")}
				</Button>
			</Form>
		</Part>
	);
}

export function Moments() {
	const [ends, setEnds] = useState("2027-04-05T20:00");
	return (
		<Part name="Date and time">
			<MomentField label={s("Ends")} optional value={ends} onInput={setEnds} />
			<MomentField
				label={s("Begins")}
				value="2027-04-06T20:00"
				onInput={() => undefined}
				error={s("The end must come after the start.")}
			/>
		</Part>
	);
}
