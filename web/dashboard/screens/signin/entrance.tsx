import type { ComponentChildren } from "preact";
import { Mark } from "../../shell/mark";

/** The frame of the signed-out screens. A bare one holds what is a card already. */
export function Entrance({ bare, children }: { readonly bare?: boolean; readonly children: ComponentChildren }) {
	return (
		<div class="entrance">
			<div>
				<Mark />
				<div class={bare ? undefined : "card"} role="main" style={bare ? "inline-size: 100%" : undefined}>
					{children}
				</div>
			</div>
		</div>
	);
}
