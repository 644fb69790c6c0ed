import type { ComponentChildren } from "preact";
import { type DoorState } from "./icons";
export interface ChipProps {
    readonly tone?: "ok" | "warn" | "bad" | "info" | "plain";
    readonly door?: DoorState;
    readonly children: ComponentChildren;
}
/** A state in one word. It has a coloured background only if a person has to act. */
export declare function Chip({ tone, door, children }: ChipProps): import("preact").JSX.Element;
