import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";

/** A part of a later script on another screen. It is loaded once it is wanted. */
export function useLaterPart<Props>(
	load: () => Promise<ComponentType<Props>>,
	wanted: boolean,
): ComponentType<Props> | undefined {
	const [Part, setPart] = useState<ComponentType<Props>>();
	useEffect(() => {
		if (wanted) load().then((loaded) => setPart(() => loaded), () => undefined); // the next screen tries again
	}, [wanted]);
	return Part;
}
