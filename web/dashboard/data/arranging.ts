import type { Platform } from "./platform";
import { nothing, type Result } from "./request";

const root = "/api/v1/dashboard/navigation";

/** One write to the navigation. Each is idempotent. */
export type Step =
	| { readonly put: "group"; readonly id: string; readonly label: string; readonly order: number }
	| { readonly put: "place"; readonly id: string; readonly groupId: string | null; readonly order: number }
	| { readonly delete: "group" | "place"; readonly id: string };

function write(platform: Platform, step: Step): Promise<Result<undefined>> {
	const folder = ("put" in step ? step.put : step.delete) === "group" ? "groups" : "placements";
	const path = `${root}/${folder}/${step.id}`;
	if ("delete" in step) return platform.send("DELETE", path, {}, nothing);
	const body =
		step.put === "group"
			? { label: step.label, order: step.order }
			: { groupId: step.groupId, order: step.order };
	return platform.send("PUT", path, body, nothing);
}

/** Sends the steps one after another, until one is refused. */
export async function take(platform: Platform, steps: readonly Step[]): Promise<Result<undefined>> {
	for (const step of steps) {
		const answer = await write(platform, step);
		if (!answer.ok) return answer;
	}
	return { ok: true, value: undefined };
}
