import type { ComponentChildren } from "preact";
import { type DoorState } from "./icons";
export interface ChipProps {
    readonly tone?: "ok" | "warn" | "bad" | "info" | "plain";
    readonly door?: DoorState;
    readonly children: ComponentChildren;
}
/** A state in a word. It has a ground only where a person is needed: what is well, or off, stays quiet. */
export declare function Chip({ tone, door, children }: ChipProps): import("preact").JSX.Element;
