import type { ComponentChildren } from "preact";
import { w } from "./words";

/** A fact with its name. An empty list is shown as such. */
export function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
	const none = Array.isArray(children) && children.length === 0;
	return (
		<div>
			<dt>{name}</dt>
			<dd class={none ? "d-muted" : "d-row"}>{none ? w("nothing") : children}</dd>
		</div>
	);
}
