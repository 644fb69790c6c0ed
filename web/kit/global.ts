import * as signals from "@preact/signals";
import * as preact from "preact";
import * as hooks from "preact/hooks";
import * as jsx from "preact/jsx-runtime";
import * as kit from "./index";

/** Where modules find the kit of the page that they run in: one copy of it, and one Preact. */
const name = Symbol.for("narthex.kit.1");

/**
 * Offers the kit to modules. It is called once, before any module is imported. What is offered only ever
 * grows.
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
