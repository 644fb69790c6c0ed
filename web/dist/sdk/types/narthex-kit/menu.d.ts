import { type IconName } from "./icons";
export interface MenuItem {
    readonly id: string;
    readonly label: string;
    readonly icon?: IconName;
    /**
     * A dangerous item: below a separator and in the colour of danger. Its label ends in "…", because it asks
     * for confirmation.
     */
    readonly grave?: boolean;
    /** Disabled for now, but still reachable by keyboard. */
    readonly idle?: boolean;
    onPick(): unknown;
}
export interface MenuProps {
    readonly label: string;
    readonly icon?: IconName;
    /** The button's text, in addition to the icon. */
    readonly words?: string;
    readonly items: readonly MenuItem[];
    readonly class?: string;
}
/**
 * A button with a menu that opens above everything. Arrows, Home, End and letters move the focus, Escape
 * closes the menu.
 */
export declare function Menu({ label, icon, words, items, class: name }: MenuProps): import("preact").JSX.Element;
