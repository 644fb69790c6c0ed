import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type Administration, administration } from "../app/administration";

/** A part of the administration on another screen. It is loaded once it is wanted. */
export function useAdministration<Props>(
	pick: (screens: Administration) => ComponentType<Props>,
	wanted: boolean,
): ComponentType<Props> | undefined {
	const [Part, setPart] = useState<ComponentType<Props>>();
	useEffect(() => {
		if (!wanted) return;
		const load = administration(pick);
		load().then((loaded) => setPart(() => loaded), () => undefined); // the next screen tries again
	}, [wanted]);
	return Part;
}
