import type { App } from "../../app/app";
import { Passkeys } from "./passkeys";
import { Sessions } from "./sessions";

/** How the person gets in, and where they are: the sections of the account that only few visits need. */
export function OwnAccess({ app }: { readonly app: App }) {
	return (
		<>
			<Passkeys app={app} />
			<Sessions app={app} />
		</>
	);
}
