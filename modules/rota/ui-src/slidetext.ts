import type { Board, Service } from "./board";
import type { Tools } from "./tools";

/** The text of a slide with the volunteers in a service, without those who have said no. */
export function slideText(tools: Tools, { roles, volunteers }: Board, service: Service): string {
	const { moment, say, language } = tools;
	const labels = new Map(volunteers.map(({ id, label }) => [id, label]));
	const lines = roles.flatMap((role) => {
		const people = service.assignments
			.filter(({ roleId, status }) => roleId === role.id && status !== "no")
			.map(({ volunteerId }) => labels.get(volunteerId) || say("erased"))
			.sort((a, b) => a.localeCompare(b, language));
		return people.length === 0 ? [] : [`${role.name}: ${people.join(", ")}`];
	});
	return [`${service.title}, ${moment(service.start)}`, ...lines].join("\n");
}
