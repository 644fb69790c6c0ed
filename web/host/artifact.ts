import { type Artifact, contributionAbi, displayAbi, moduleUiAbi } from "@narthex/sdk";
import { followed } from "./slow";

/** Why an artifact cannot be mounted. */
export type ArtifactCode =
	| "NOT_FOUND" // the server has another version by now, or none
	| "MODULE_UI_ABI_INCOMPATIBLE" // built for another ABI, or not with the SDK
	| "ARTIFACT_UNAVAILABLE"; // the network, the server, or what it runs when it is loaded

export class ArtifactError extends Error {
	constructor(
		readonly code: ArtifactCode,
		/** Only a reload of the page can help. */
		readonly exhausted = false,
		/** The error that the artifact threw while it was loaded. */
		cause?: unknown,
	) {
		super(code, { cause });
	}
}

const abis = { "module-ui": moduleUiAbi, display: displayAbi, contribution: contributionAbi };

/** The specifier with which a URL was imported, or is to be imported next. */
interface Import {
	failures: number;
	specifier: string;
	loaded: boolean;
	/** Whether the preload succeeded, until the first import. */
	preloaded?: Promise<boolean>;
}
const imports = new Map<string, Import>();

/** The fragment of a preload: an engine that remembers failures then remembers only this URL. */
const early = "#early";

/**
 * Loads an artifact, of which nothing runs yet, and returns whether that succeeded. If the page itself began
 * with it (early.ts), this waits for the same request, until the signal aborts.
 */
async function preload(address: string, signal: AbortSignal): Promise<boolean> {
	const link = document.createElement("link");
	if (!link.relList.supports("modulepreload")) return false; // Safari before 17
	link.rel = "modulepreload";
	link.href = address + early;
	try {
		return await followed(
			new Promise<boolean>((resolve) => {
				link.onload = () => resolve(true);
				link.onerror = () => resolve(false);
				signal.addEventListener("abort", link.onerror);
				document.head.append(link);
			}),
		);
	} finally {
		link.remove();
	}
}

/**
 * Loads an artifact and returns its definition. Usually that is one request. If it fails, the artifact is
 * fetched, because only that reports the status. After a failed import the same URL is tried again. Some
 * engines remember the failure for the life of the page, so the third attempt uses a fragment. After a
 * success no other specifier is used, because it would create a second instance.
 */
export async function loadArtifact<Definition>(
	kind: keyof typeof abis,
	address: string,
	signal: AbortSignal,
): Promise<Definition> {
	let known = imports.get(address);
	if (known === undefined) {
		known = { failures: 0, specifier: address, loaded: false, preloaded: preload(address, signal) };
		imports.set(address, known);
	}
	let module: { default?: unknown };
	if (await known.preloaded) known.specifier = address + early;
	else if (!known.loaded) await fetchArtifact(address, signal);
	delete known.preloaded;
	try {
		module = (await import(known.specifier)) as { default?: unknown };
		known.loaded = true;
	} catch (error) {
		known.failures++;
		known.specifier = known.failures === 2 ? `${address}#r=2` : address;
		throw new ArtifactError("ARTIFACT_UNAVAILABLE", known.failures > 2, error);
	}
	return definitionOf<Definition>(kind, module.default);
}

async function fetchArtifact(address: string, signal: AbortSignal): Promise<void> {
	let response: Response;
	try {
		response = await followed(fetch(address, { credentials: "omit", cache: "no-cache", signal }));
		await response.arrayBuffer(); // fills the browser's cache, from which import reads it
	} catch {
		throw new ArtifactError("ARTIFACT_UNAVAILABLE");
	}
	// Whatever else is said in its place, such as a proxy's page, tells nothing about the artifact.
	const type = response.headers.get("Content-Type") ?? "";
	if (response.status === 404 && type === "application/json") throw new ArtifactError("NOT_FOUND");
	if (!response.ok || !/^text\/javascript\b/.test(type)) throw new ArtifactError("ARTIFACT_UNAVAILABLE");
}

/** The definition in an artifact's default export. An artifact of another ABI, or without one, is refused. */
export function definitionOf<Definition>(kind: keyof typeof abis, exported: unknown): Definition {
	const artifact = exported as Partial<Artifact<string, Definition>> | null | undefined;
	const fits = typeof artifact === "object" && artifact?.narthex === kind && artifact.abi === abis[kind];
	if (!fits || artifact.definition === undefined) {
		const cause = exported === undefined ? new Error("no default export") : undefined; // for its author
		throw new ArtifactError("MODULE_UI_ABI_INCOMPATIBLE", false, cause);
	}
	return artifact.definition;
}
