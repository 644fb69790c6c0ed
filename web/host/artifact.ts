import { type Artifact, contributionAbi, displayAbi, moduleUiAbi } from "@narthex/sdk";

/** Why an artifact cannot be mounted. */
export type ArtifactCode =
	| "NOT_FOUND" // the server has another version by now, or none
	| "MODULE_UI_ABI_INCOMPATIBLE" // built for another ABI, or not with the SDK
	| "ARTIFACT_UNAVAILABLE"; // the network, the server, or what it runs when it is loaded

export class ArtifactError extends Error {
	constructor(
		readonly code: ArtifactCode,
		/** Only loading the page anew can help. */
		readonly exhausted = false,
	) {
		super(code);
	}
}

const abis = { "module-ui": moduleUiAbi, display: displayAbi, contribution: contributionAbi };

/** The specifier under which an address was imported, or is to be tried next. */
interface Import {
	failures: number;
	specifier: string;
	loaded: boolean;
}
const imports = new Map<string, Import>();

/**
 * Loads an artifact and answers what it defines. fetch comes first, because import tells nothing of a status. A failed import is
 * tried again under the same address; some engines remember the failure for the life of the page, so the next try is once under a
 * fragment. After a success never: another specifier would make a second instance.
 */
export async function loadArtifact<Definition>(kind: keyof typeof abis, address: string, signal: AbortSignal): Promise<Definition> {
	const known = imports.get(address) ?? { failures: 0, specifier: address, loaded: false };
	imports.set(address, known);
	let module: { default?: unknown };
	if (!known.loaded) await fetchArtifact(address, signal);
	try {
		module = (await import(known.specifier)) as { default?: unknown };
		known.loaded = true;
	} catch {
		known.failures++;
		known.specifier = known.failures === 2 ? `${address}#r=2` : address;
		throw new ArtifactError("ARTIFACT_UNAVAILABLE", known.failures > 2);
	}
	return definitionOf<Definition>(kind, module.default);
}

async function fetchArtifact(address: string, signal: AbortSignal): Promise<void> {
	let response: Response;
	try {
		response = await fetch(address, { credentials: "omit", cache: "no-cache", signal });
		await response.arrayBuffer(); // into the browser's cache, where import finds it
	} catch {
		throw new ArtifactError("ARTIFACT_UNAVAILABLE");
	}
	if (response.status === 404) throw new ArtifactError("NOT_FOUND");
	if (!response.ok) throw new ArtifactError("ARTIFACT_UNAVAILABLE");
}

/** What an artifact's default export defines; another ABI, or none, is refused. */
export function definitionOf<Definition>(kind: keyof typeof abis, exported: unknown): Definition {
	const artifact = exported as Partial<Artifact<string, Definition>> | null | undefined;
	if (typeof artifact !== "object" || artifact?.narthex !== kind || artifact.abi !== abis[kind] || artifact.definition === undefined) {
		throw new ArtifactError("MODULE_UI_ABI_INCOMPATIBLE");
	}
	return artifact.definition;
}
