import type { ComponentChildren, Ref, TargetedMouseEvent } from "preact";
import { type IconName } from "./icons";
export interface ButtonProps {
    /** A screen has one primary button. "text" leads to the next step, "quiet" is an action in a row. */
    readonly kind?: "primary" | "secondary" | "text" | "quiet" | "danger";
    readonly icon?: IconName;
    readonly small?: boolean;
    readonly wide?: boolean;
    /** Submits the form that it is in, or that of the dialog in whose footer it is. */
    readonly submit?: boolean;
    /**
     * An action is in progress: a spinner is shown and further presses are ignored. A promise that onPress
     * returns has the same effect until it settles.
     */
    readonly busy?: boolean;
    /**
     * The text while the action is in progress: "Saving". The button is as wide as the longer of its two
     * texts.
     */
    readonly busyWords?: string | undefined;
    readonly disabled?: boolean;
    /** The full accessible name if the button's text is too short: "Edit Welcome". */
    readonly label?: string;
    readonly class?: string;
    readonly describedBy?: string;
    readonly expanded?: boolean;
    readonly controls?: string;
    readonly buttonRef?: Ref<HTMLButtonElement>;
    onPress?(event: TargetedMouseEvent<HTMLButtonElement>): unknown;
    readonly children?: ComponentChildren;
}
/** A button that shows that its action is in progress, and ignores presses until it has finished. */
export declare function Button(props: ButtonProps): import("preact").JSX.Element;
export interface IconButtonProps extends Omit<ButtonProps, "children" | "icon" | "label"> {
    readonly icon: IconName;
    readonly label: string;
}
/** A button that shows only an icon. Its label is its accessible name, and is shown as a tooltip. */
export declare function IconButton({ class: name, ...props }: IconButtonProps): import("preact").JSX.Element;
