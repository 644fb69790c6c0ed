import { type IconName } from "./icons";
export interface MenuItem {
    readonly id: string;
    readonly label: string;
    readonly icon?: IconName;
    /** Stands below a line, in the colour of danger. Its label ends in "…", for it asks first. */
    readonly grave?: boolean;
    /** Cannot be done now. It can be reached all the same. */
    readonly idle?: boolean;
    onPick(): unknown;
}
export interface MenuProps {
    readonly label: string;
    readonly icon?: IconName;
    /** What the button shows instead of the icon alone. */
    readonly words?: string;
    readonly items: readonly MenuItem[];
    readonly class?: string;
}
/** A button and the menu it opens, over everything: arrows, Home, End and letters move, Escape returns. */
export declare function Menu({ label, icon, words, items, class: name }: MenuProps): import("preact").JSX.Element;
