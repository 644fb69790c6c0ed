import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Mark, Note, SelectField } from "../kit/index";
import { kitStyles } from "../kit/styles";
import css from "./bench.css";
import { Mails, Requests } from "./history";
import { Channels, Erasure, Routes, Schedules, Try } from "./module";
import { readState, type State } from "./work";

const every = 1000; // milliseconds between two looks

const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => {
	document.documentElement.dataset["theme"] = dark.matches ? "dark" : "light";
};
dark.addEventListener("change", follow);
follow();
const sheet = new CSSStyleSheet();
sheet.replaceSync(kitStyles + css);
document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];

/** The modules at work: what they have registered, what was asked of them, and the mails that were sent. */
function Bench() {
	const [state, setState] = useState<State>();
	const [chosen, setChosen] = useState("");
	useEffect(() => {
		const look = async () => {
			const now = await readState();
			if (now) setState(now);
		};
		void look();
		const timer = setInterval(() => void look(), every);
		return () => clearInterval(timer);
	}, []);
	const modules = state?.modules ?? [];
	const work = modules.find(({ id }) => id === chosen) ?? modules.find(({ routes }) => routes.length > 0);
	return (
		<main class="bench">
			<header>
				<Mark />
				<h1 tabIndex={-1}>Modules at work</h1>
			</header>
			{state !== undefined && work === undefined && <Note>No module has a server.</Note>}
			{state !== undefined && work !== undefined && (
				<>
					<SelectField
						label="Module"
						value={work.id}
						options={modules.map(({ id, version }) => ({ value: id, label: `${id} ${version}` }))}
						onInput={setChosen}
					/>
					{work.blocked !== "" && <Note tone="warn">It does not run: {work.blocked}.</Note>}
					<Try key={work.id} work={work} />
					<Requests requests={state.requests.filter(({ module }) => module === work.id)} />
					<Routes work={work} />
					<Channels work={work} />
					<Schedules work={work} />
					{work.erases && <Erasure key={`erase-${work.id}`} work={work} />}
					<Mails mails={state.mails} />
				</>
			)}
		</main>
	);
}

render(<Bench />, document.getElementById("root") as HTMLElement);
