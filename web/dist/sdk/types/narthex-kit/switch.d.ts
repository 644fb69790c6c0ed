import type { ComponentChildren } from "preact";
export interface SwitchProps {
    readonly checked: boolean;
    readonly label: string;
    /** For a table whose column heading has the label. */
    readonly hideLabel?: boolean;
    /** The text beside the switch in a card, if the label is longer. In a table the column heading has it. */
    readonly words?: string;
    readonly busy?: boolean;
    onChange(checked: boolean): void;
}
/** A choice that takes effect at once. If Save is needed, use a checkbox. */
export declare function Switch({ checked, label, hideLabel, words, busy, onChange }: SwitchProps): import("preact").JSX.Element;
export interface Segment<Id extends string> {
    readonly id: Id;
    readonly label: ComponentChildren;
    readonly count?: number;
}
export interface SegmentsProps<Id extends string> {
    readonly name: string;
    readonly label: string;
    readonly segments: readonly Segment<Id>[];
    readonly chosen: Id;
    onChoose(id: Id): void;
}
/** A choice between two to four options. */
export declare function Segments<Id extends string>({ name, label, segments, chosen, onChoose }: SegmentsProps<Id>): import("preact").JSX.Element;
