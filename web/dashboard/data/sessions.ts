import type { Platform } from "./platform";
import { nothing, type Result } from "./request";
import { listOf, object, text, yesOrNo } from "./shape";

const session = object({ id: text, createdAt: text, lastSeenAt: text, current: yesOrNo, description: text });
const list = object({ sessions: listOf(session) });

export type OwnSession = ReturnType<typeof session>;

const base = "/api/v1/account/sessions";

/** The person's own sessions, the present one first. */
export const readSessions = (platform: Platform): Promise<Result<ReturnType<typeof list>>> =>
	platform.read(base, list);
export const endSession = (platform: Platform, id: string): Promise<Result<undefined>> =>
	platform.send("POST", `${base}/${id}/end`, {}, nothing);
