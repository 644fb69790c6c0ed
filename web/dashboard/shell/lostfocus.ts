import { focusHeading } from "../../kit/toast";

const controls = "a[href], button, input, select, textarea";

/**
 * When the row that has the focus is removed, gives it to the same control of the next row, or of the one
 * before, or else to the screen's heading. Browsers give it to nothing: the keyboard would start again at the
 * top of the page, and a screen reader would say nothing.
 */
export function keepFocus(): void {
	let last: Element | undefined;
	let at = 0; // which of its row's controls it is
	document.addEventListener("focusin", ({ target }) => {
		if (!(target instanceof Element) || target.closest("dialog, .d-menu, .d-toast") !== null) return;
		last = target;
		at = [...(rowOf(target)?.querySelectorAll(controls) ?? [])].indexOf(target);
	});
	new MutationObserver((changes) => {
		if (last === undefined || last.isConnected) return;
		const row = rowOf(last);
		last = undefined;
		const removal = changes.find(({ removedNodes }) => row !== null && [...removedNodes].includes(row));
		const rows = [removal?.nextSibling, removal?.previousSibling].filter((node) => node instanceof Element);
		requestAnimationFrame(() => {
			if (document.activeElement !== document.body) return; // somebody knew better
			for (const next of rows) {
				const all = next.querySelectorAll<HTMLElement>(controls);
				const to = all[Math.min(at, all.length - 1)];
				to?.focus({ preventScroll: true });
				if (document.activeElement === to) return;
			}
			focusHeading();
		});
	}).observe(document.body, { childList: true, subtree: true });
}

const rowOf = (element: Element): Element | null => element.closest("tr, li");
