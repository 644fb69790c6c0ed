import type { ComponentChildren, Ref, TargetedMouseEvent } from "preact";
import { type IconName } from "./icons";
export interface ButtonProps {
    /** One primary a screen. "text" leads to the next step, "quiet" is an action of a row. */
    readonly kind?: "primary" | "secondary" | "text" | "quiet" | "danger";
    readonly icon?: IconName;
    readonly small?: boolean;
    readonly wide?: boolean;
    readonly submit?: boolean;
    /**
     * Something is under way: a ring turns and further presses are ignored. A promise of onPress makes it so,
     * too.
     */
    readonly busy?: boolean;
    /** What is said meanwhile: "Saving". The button is as wide as the longer of the two. */
    readonly busyWords?: string | undefined;
    readonly disabled?: boolean;
    /** The whole name, where the words on the button are too few: "Edit Welcome". */
    readonly label?: string;
    readonly class?: string;
    readonly describedBy?: string;
    readonly expanded?: boolean;
    readonly controls?: string;
    readonly buttonRef?: Ref<HTMLButtonElement>;
    onPress?(event: TargetedMouseEvent<HTMLButtonElement>): unknown;
    readonly children?: ComponentChildren;
}
/** A button that shows that it was pressed, and takes no second press meanwhile. */
export declare function Button(props: ButtonProps): import("preact").JSX.Element;
export interface IconButtonProps extends Omit<ButtonProps, "children" | "icon" | "label"> {
    readonly icon: IconName;
    readonly label: string;
}
/** A button that is its icon. Its label is said, and shown as a hint. */
export declare function IconButton({ class: name, ...props }: IconButtonProps): import("preact").JSX.Element;
