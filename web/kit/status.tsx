import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** How long the words stay where screen readers hear them, in milliseconds. */
const saidFor = 5_000;

/** How long a live region has to be there before its words, in milliseconds. */
const before = 100;

interface StatusProps {
	readonly class?: string;
	readonly children: ComponentChildren;
}

/** A text that screen readers read when it appears and when it changes (WCAG 4.1.3). */
export function Status({ class: name, children }: StatusProps) {
	return (
		<p class={name} ref={useStatus<HTMLParagraphElement>(true)}>
			{children}
		</p>
	);
}

/**
 * Has screen readers read the text of an element, if on. They do not read a live region that comes together
 * with its words, so the words also go into one without a look, which was there before.
 */
export function useStatus<E extends HTMLElement>(on: boolean): RefObject<E | null> {
	const element = useRef<E>(null);
	const last = useRef("");
	const takeBack = useRef<() => void>(undefined);
	useEffect(() => {
		const words = element.current?.innerText ?? "";
		if (!on || words === last.current) return;
		last.current = words;
		takeBack.current?.();
		// outside of an open dialog the page is inert
		takeBack.current = say(words, element.current?.closest("dialog") ?? document.body);
	});
	useEffect(() => () => takeBack.current?.(), []);
	return element;
}

/** Says words. The returned function takes them back. */
function say(words: string, place: Element): () => void {
	let region = place.querySelector(":scope > .d-unseen[aria-live]");
	if (region === null) {
		region = document.createElement("div");
		region.className = "d-unseen";
		region.setAttribute("aria-live", "polite");
		place.append(region);
	}
	const line = document.createElement("p");
	line.textContent = words;
	const timers = [
		setTimeout(() => region.append(line), before),
		setTimeout(() => line.remove(), before + saidFor),
	];
	return () => {
		timers.forEach(clearTimeout);
		line.remove();
	};
}
