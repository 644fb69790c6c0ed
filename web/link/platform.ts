import type { ServerClock } from "../host/clock";
import type { MountedEntry } from "../host/context";
import { byName, listOf, object, oneOf, orAbsent, orNull, text } from "../host/shape";
import { accents } from "../kit/accents";

const requestLimit = 15_000; // milliseconds, for a response with its body

/** What the server says of the module behind a link. */
export type Descriptor = MountedEntry & {
	readonly artifactUrl: string;
	readonly translations: Readonly<Record<string, Readonly<Record<string, string>>>> | undefined;
};

/** Why there is no descriptor. */
export type Failure = "notFound" | "tooMany" | "unreachable";

const descriptorShape = object({
	moduleId: text,
	name: text,
	translations: orAbsent(byName(byName(text))),
	version: text,
	artifactUrl: text,
	apiRoot: text,
	realtimeRoot: text,
	permissions: listOf(text),
});
const houseShape = object({
	name: orNull(text),
	accent: oneOf(accents),
	language: text,
	timeZone: orNull(text),
});

/** The house, or undefined without a response. */
export async function readHouse(): Promise<ReturnType<typeof houseShape> | undefined> {
	const answer = await request("/api/v1/house");
	return answer?.status === 200 ? shaped(() => houseShape(answer.body)) : undefined;
}

/** Exchanges the secret of a link for the browser's cookie. */
export async function open(moduleId: string, secret: string): Promise<Failure | undefined> {
	const answer = await request("/api/v1/links/open", { moduleId, secret });
	return answer?.status === 200 ? undefined : failure(answer?.status);
}

/** What to mount for the link of the cookie. */
export async function describe(moduleId: string, clock: ServerClock): Promise<Descriptor | Failure> {
	const answer = await request(`/api/v1/module-links/${moduleId}`);
	if (answer?.status !== 200) return failure(answer?.status);
	const descriptor = shaped(() => descriptorShape(answer.body));
	if (descriptor === undefined) return "unreachable";
	clock.observe(answer.date);
	return { ...descriptor, contributions: [] };
}

const failure = (status: number | undefined): Failure =>
	status === 404 || status === 400 ? "notFound" : status === 429 ? "tooMany" : "unreachable";

function shaped<Value>(read: () => Value): Value | undefined {
	try {
		return read();
	} catch {
		return undefined; // something else has answered
	}
}

async function request(
	path: string,
	body?: unknown,
): Promise<{ status: number; body: unknown; date: string } | undefined> {
	const signal = AbortSignal.timeout(requestLimit);
	const init: RequestInit = { cache: "no-store", redirect: "error", signal };
	if (body !== undefined) {
		init.method = "POST";
		init.headers = { "Content-Type": "application/json" };
		init.body = JSON.stringify(body);
	}
	try {
		const response = await fetch(path, init);
		const value: unknown = await response.json();
		return { status: response.status, body: value, date: response.headers.get("Date") ?? "" };
	} catch {
		return undefined;
	}
}
