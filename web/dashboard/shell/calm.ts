import { useEffect, useState } from "preact/hooks";
import type { App } from "../app/app";

/** The person has begun with the screen. */
let begun = false;
for (const kind of ["pointermove", "keydown"]) addEventListener(kind, () => (begun = true));

/**
 * Whether a notice is shown at the top of the screen, where it moves everything below it. Once the person has
 * begun with a screen, it comes and goes only with the next one, or with what they have just done themselves,
 * so that nothing moves under the pointer.
 */
export function useCalm(app: App, wanted: boolean): boolean {
	const [shown, setShown] = useState(wanted);
	const screen = app.router.opened.value;
	useEffect(() => void (begun = false), [screen]);
	useEffect(() => {
		if (!begun || performance.now() - app.data.acted < 3_000) setShown(wanted);
	}, [wanted, screen]);
	return shown;
}
