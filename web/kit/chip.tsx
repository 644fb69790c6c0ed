import type { ComponentChildren } from "preact";
import { Door, type DoorState } from "./icons";

export interface ChipProps {
	readonly tone?: "ok" | "warn" | "bad" | "info" | "plain";
	readonly door?: DoorState;
	readonly children: ComponentChildren;
}

/** A state in one word. It has a coloured background only if a person has to act. */
export function Chip({ tone = "plain", door, children }: ChipProps) {
	const calm = tone === "ok" || tone === "plain";
	return (
		<span class={`d-chip${tone === "plain" ? "" : ` d-${tone}`}${calm ? " d-calm" : ""}`}>
			{door && <Door state={door} />}
			{children}
		</span>
	);
}
