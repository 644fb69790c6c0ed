import { Button } from "@narthex/kit";
import type { Assignment, Mail, Service } from "./board";
import type { Tools } from "./tools";

interface MailsProps {
	readonly tools: Tools;
	readonly service: Service;
	nameOf(assignment: Assignment): string;
	send(assignments: readonly Assignment[]): Promise<void>;
}

const isMailed = ({ mail, status }: Assignment): boolean => mail !== null && status !== "no";

/** Whether there is anything to say about mails of a service. */
export const hasMails = ({ assignments }: Service): boolean => assignments.some(isMailed);

/** The outcomes of the mails about a service: each that was not sent, and who has got one. */
export function Mails({ tools, service, nameOf, send }: MailsProps) {
	const { say, sends } = tools;
	const mailed = service.assignments
		.filter(isMailed)
		.sort((a, b) => nameOf(a).localeCompare(nameOf(b), tools.language));
	const of = (outcome: Mail["outcome"]) => mailed.filter(({ mail }) => mail?.outcome === outcome);
	const failed = mailed.filter(({ mail }) => mail?.outcome !== "sent" && mail?.outcome !== "queued");
	const names = (some: readonly Assignment[]) => some.map(nameOf).join(", ");
	if (mailed.length === 0) return null;
	return (
		<ul class="mails">
			<li class="d-in-card role">{say("mails")}</li>
			{failed.map((assignment) => (
				<li key={assignment.id} class="failed">
					<span>
						<bdi>{nameOf(assignment)}</bdi>: {say(`mail.${assignment.mail?.outcome ?? "tryAgain"}`)}
					</span>
					{sends && (
						<Button
							small
							label={say("sendAgainTo", { name: nameOf(assignment) })}
							onPress={() => send([assignment])}
						>
							{say("sendAgain")}
						</Button>
					)}
				</li>
			))}
			{of("queued").length > 0 && (
				<li>
					{say("mail.queued")}: <bdi>{names(of("queued"))}</bdi>
				</li>
			)}
			{of("sent").length > 0 && (
				<li>
					{say("mail.sent")}: <bdi>{names(of("sent"))}</bdi>
				</li>
			)}
		</ul>
	);
}
