/**
 * Keeps the field in which somebody types in sight when the window becomes lower: a phone's keyboard opens
 * over it, or the phone is rotated.
 */
export function showTypedField(): void {
	const view = window.visualViewport;
	if (!view) return;
	let { scale } = view;
	view.addEventListener("resize", () => {
		const zoomed = view.scale !== scale;
		scale = view.scale;
		const field = document.activeElement;
		if (zoomed || !field?.matches("input, textarea, select, [contenteditable]")) return;
		const { left, right, top, bottom } = field.getBoundingClientRect();
		const outside = bottom > view.offsetTop + view.height || top < view.offsetTop;
		// A form's bar of buttons stays at the window's end, over what is there.
		const covered = document.elementFromPoint((left + right) / 2, (top + bottom) / 2) !== field;
		if (outside || covered) field.scrollIntoView({ block: bottom - top < view.height ? "center" : "nearest" });
	});
}
