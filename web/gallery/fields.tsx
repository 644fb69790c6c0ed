import { useState } from "preact/hooks";
import { Button, CodeInput, Form, MomentField, PasswordField, TextField } from "../kit/index";
import { Part } from "./part";

export function Fields() {
	const [name, setName] = useState("Back wall");
	const [password, setPassword] = useState("seven77");
	const [code, setCode] = useState("4829");
	const [title, setTitle] = useState("");
	const [problem, setProblem] = useState<string>();
	return (
		<Part name="Field">
			<TextField label="Name" value={name} onInput={setName} />
			<TextField label="Reply to" optional help="Answers go there." value="" onInput={() => undefined} />
			<PasswordField
				label="New password"
				autocomplete="new-password"
				value={password}
				onInput={setPassword}
				error="At least 8 characters: 1 more."
			/>
			<CodeInput label="Code on the screen" value={code} onInput={setCode} />
			<Form onSubmit={() => setProblem(title === "" ? "A notice needs a title." : undefined)}>
				<TextField label="Title" value={title} onInput={setTitle} error={problem} />
				<Button submit kind="primary">
					Check the form
				</Button>
			</Form>
		</Part>
	);
}

export function Moments() {
	const [ends, setEnds] = useState("2027-04-05T20:00");
	return (
		<Part name="Date and time">
			<MomentField label="Ends" optional value={ends} onInput={setEnds} />
			<MomentField
				label="Begins"
				value="2027-04-06T20:00"
				onInput={() => undefined}
				error="The end must come after the start."
			/>
		</Part>
	);
}
