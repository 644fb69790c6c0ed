import type { ComponentChildren } from "preact";

/** One kind of component in all its states. */
export function Part({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
	return (
		<section aria-label={name}>
			<h2>{name}</h2>
			{children}
		</section>
	);
}
