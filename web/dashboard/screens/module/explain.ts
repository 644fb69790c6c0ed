import { ArtifactError } from "../../../host/artifact";
import { MountTimeout } from "./modulemount";
import { w } from "./words";

interface Explanation {
	readonly words: string;
	readonly code: string;
	readonly remedy: "retry" | "reload" | "none";
}

/** Explains the failure of a module to a person. */
export function explain(module: string, error: unknown): Explanation {
	if (error instanceof MountTimeout) {
		return { words: w("moduleSlow", { module }), code: "MODULE_UI_TIMEOUT", remedy: "retry" };
	}
	if (!(error instanceof ArtifactError)) {
		return { words: w("moduleFailed", { module }), code: "MODULE_UI_FAILED", remedy: "retry" };
	}
	switch (error.code) {
		case "MODULE_UI_ABI_INCOMPATIBLE":
			return { words: w("moduleOld"), code: error.code, remedy: "none" };
		case "NOT_FOUND":
			return { words: w("moduleGone", { module }), code: error.code, remedy: "retry" };
		case "ARTIFACT_UNAVAILABLE":
			return {
				words: w("moduleUnloadable", { module }),
				code: error.code,
				remedy: error.exhausted ? "reload" : "retry",
			};
	}
}
