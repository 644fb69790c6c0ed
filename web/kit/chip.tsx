import type { ComponentChildren } from "preact";
import { Door, type DoorState } from "./icons";

export interface ChipProps {
	readonly tone?: "ok" | "warn" | "bad" | "info" | "plain";
	readonly door?: DoorState;
	readonly children: ComponentChildren;
}

/** A state in a word. It has a ground only where a person is needed: what is well, or off, stays quiet. */
export function Chip({ tone = "plain", door, children }: ChipProps) {
	const calm = tone === "ok" || tone === "plain";
	return (
		<span class={`chip${tone === "plain" ? "" : ` ${tone}`}${calm ? " calm" : ""}`}>
			{door && <Door state={door} />}
			{children}
		</span>
	);
}
