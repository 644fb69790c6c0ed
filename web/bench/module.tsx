import { useState } from "preact/hooks";
import { Button, Form, SelectField, Table, TextField } from "../kit/index";
import { act, tryRoute, type Work } from "./work";

interface Props {
	readonly work: Work;
}

/** A form that sends a request to a route, as the person who is signed in. */
export function Try({ work }: Props) {
	const [at, setAt] = useState(0);
	const [path, setPath] = useState<string>();
	const [body, setBody] = useState("");
	const [answer, setAnswer] = useState("");
	const route = work.routes[at];
	if (route === undefined) return null;
	const address = path ?? route.path;
	return (
		<section aria-label="Try a route">
			<h2>Try a route</h2>
			<Form class="try" onSubmit={async () => setAnswer(await tryRoute(work.id, route, address, body))}>
				<SelectField
					label="Route"
					value={String(at)}
					options={work.routes.map(({ method, path }, n) => ({ value: String(n), label: `${method} ${path}` }))}
					onInput={(n) => {
						setAt(Number(n));
						setPath(undefined);
					}}
				/>
				<TextField
					label="Path and query"
					dir="ltr"
					value={address}
					onInput={setPath}
					help="Sent as the person who is signed in at the Dashboard in this browser."
				/>
				{route.maxBodyBytes > 0 && (
					<TextField label="Body, JSON" dir="ltr" lines={4} value={body} onInput={setBody} optional />
				)}
				<div>
					<Button kind="primary" submit>
						Send {route.method}
					</Button>
				</div>
			</Form>
			<div role="status">{answer !== "" && <pre class="d-code lines">{answer}</pre>}</div>
		</section>
	);
}

export function Routes({ work }: Props) {
	return (
		<section>
			<h2>Routes</h2>
			<Table
				label="Routes"
				rows={work.routes}
				rowId={({ method, path }) => `${method} ${path}`}
				columns={[
					{
						id: "route",
						head: "Route",
						part: "title",
						cell: ({ method, path }) => (
							<code>
								{method} {path}
							</code>
						),
					},
					{ id: "permission", head: "Permission", cell: ({ permission }) => <code>{permission}</code> },
					{
						id: "body",
						head: "Body",
						cell: ({ maxBodyBytes }) => (maxBodyBytes > 0 ? `at most ${maxBodyBytes} bytes` : "none"),
					},
				]}
			/>
		</section>
	);
}

export function Channels({ work }: Props) {
	if (work.channels.length === 0) return null;
	return (
		<section>
			<h2>Channels</h2>
			<Table
				label="Channels"
				rows={work.channels}
				rowId={({ name }) => name}
				columns={[
					{ id: "name", head: "Channel", part: "title", cell: ({ name }) => <code>{name}</code> },
					{ id: "permission", head: "Permission", cell: ({ permission }) => <code>{permission}</code> },
				]}
			/>
		</section>
	);
}

export function Schedules({ work }: Props) {
	const [said, setSaid] = useState("");
	if (work.schedules.length === 0) return null;
	return (
		<section>
			<h2>Schedules</h2>
			<Table
				label="Schedules"
				rows={work.schedules}
				rowId={({ name }) => name}
				columns={[
					{ id: "name", head: "Schedule", part: "title", cell: ({ name }) => <code>{name}</code> },
					{ id: "every", head: "Every", cell: ({ seconds }) => `${seconds} s` },
					{
						id: "run",
						head: "Run",
						hideHead: true,
						part: "actions",
						cell: ({ name }) => (
							<Button
								kind="quiet"
								label={`Run now: ${name}`}
								onPress={async () => setSaid(`${name}: ${await act("run", work.id, name)}`)}
							>
								Run now
							</Button>
						),
					},
				]}
			/>
			<p role="status">{said}</p>
		</section>
	);
}

/** Tells the module that a person was erased. The person's account stays. */
export function Erasure({ work }: Props) {
	const [person, setPerson] = useState("");
	const [said, setSaid] = useState("");
	return (
		<section>
			<h2>Erase a person</h2>
			<Form class="try" onSubmit={async () => setSaid(await act("erase", work.id, person))}>
				<TextField
					label="Id of the person"
					dir="ltr"
					value={person}
					onInput={setPerson}
					required
					help="The module alone is told, as if this person had been erased. The account stays."
				/>
				<div>
					<Button submit>Erase this person</Button>
				</div>
			</Form>
			<p role="status">{said}</p>
		</section>
	);
}
