import { Chip, Table } from "../kit/index";
import type { Mail, Seen } from "./work";

const clock = (at: string): string => at.slice(11, 19);

/** The last requests to the module, with what it wrote while they were in progress. */
export function Requests({ requests }: { readonly requests: readonly Seen[] }) {
	return (
		<section>
			<h2>Last requests</h2>
			{requests.length === 0 && <p class="d-second">None yet.</p>}
			{requests.length > 0 && (
				<Table
					label="Last requests"
					rows={requests}
					rowId={({ at, path }) => at + path}
					columns={[
						{
							id: "request",
							head: "Request",
							part: "title",
							cell: ({ method, path, lines }) => (
								<>
									<code class="lines">
										{method} {path}
									</code>
									{lines.length > 0 && <pre class="d-code lines">{lines.join("\n")}</pre>}
								</>
							),
						},
						{
							id: "status",
							head: "Status",
							width: "6rem",
							cell: ({ status }) =>
								status === 0 ? "" : <Chip tone={status < 400 ? "ok" : "bad"}>{String(status)}</Chip>,
						},
						{ id: "time", head: "Took", width: "7rem", cell: ({ millis }) => `${millis.toFixed(1)} ms` },
						{ id: "at", head: "At (UTC)", width: "7rem", cell: ({ at }) => clock(at) },
					]}
				/>
			)}
		</section>
	);
}

/** The mails that the platform and all modules have sent. Nothing has left this machine. */
export function Mails({ mails }: { readonly mails: readonly Mail[] }) {
	return (
		<section>
			<h2>Mails</h2>
			{mails.length === 0 && <p class="d-second">None yet.</p>}
			{mails.map(({ to, subject, text, at }) => (
				<details key={at + subject}>
					<summary>
						{clock(at)} {subject}, to {to.join(", ")}
					</summary>
					<pre class="d-code lines">{text}</pre>
				</details>
			))}
		</section>
	);
}
