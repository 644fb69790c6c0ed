import type { ComponentChildren, RefObject } from "preact";
interface StatusProps {
    readonly class?: string;
    readonly children: ComponentChildren;
}
/** A text that screen readers read when it appears and when it changes (WCAG 4.1.3). */
export declare function Status({ class: name, children }: StatusProps): import("preact").JSX.Element;
/**
 * Has screen readers read the text of an element, if on. They do not read a live region that comes together
 * with its words, so the words also go into one without a look, which was there before.
 */
export declare function useStatus<E extends HTMLElement>(on: boolean): RefObject<E | null>;
export {};
