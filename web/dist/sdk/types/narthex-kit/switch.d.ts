import type { ComponentChildren } from "preact";
export interface SwitchProps {
    readonly checked: boolean;
    readonly label: string;
    /** Where the head of the column says it already. */
    readonly hideLabel?: boolean;
    /** What stands beside it in a card, where the label is longer. In a table the head says it. */
    readonly words?: string;
    readonly busy?: boolean;
    onChange(checked: boolean): void;
}
/** What takes effect as it is pressed. Where Save is needed, use a checkbox. */
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
/** One of two to four choices. */
export declare function Segments<Id extends string>({ name, label, segments, chosen, onChoose }: SegmentsProps<Id>): import("preact").JSX.Element;
