import * as signals from "@preact/signals";
import * as preact from "preact";
import * as hooks from "preact/hooks";
import * as jsx from "preact/jsx-runtime";
import * as kit from "./index";

/**
 * The global name under which modules find the page's kit, so that there is only one copy of the kit and of
 * Preact.
 */
const name = Symbol.for("narthex.kit.1");

/**
 * Offers the kit to modules. Call it once, before any module is imported. Exports may be added, but never
 * removed.
 */
export function offerKit(): void {
	const offered = {
		...kit,
		preact: Object.freeze({ ...preact }),
		hooks: Object.freeze({ ...hooks }),
		jsx: Object.freeze({ ...jsx }),
		signals: Object.freeze({ ...signals }),
	};
	Object.defineProperty(globalThis, name, { value: Object.freeze(offered) });
}
