/**
 * Refuses files and links that are dropped where no field takes them: a browser would leave the page to show
 * them, with all that was typed. A handler that takes a drop itself prevents the browser's own action.
 */
export function refuseDrops(): void {
	const refuse = (event: DragEvent) => {
		const { dataTransfer: dragged } = event;
		if (event.defaultPrevented || dragged === null) return;
		const files = dragged.types.includes("Files");
		if (!files && !dragged.types.includes("text/uri-list")) return;
		const [target] = event.composedPath(); // in a shadow tree, too
		const fields = files ? "input[type=file]:enabled" : "input, textarea, [contenteditable]";
		if (target instanceof Element && target.closest(fields) !== null) return;
		event.preventDefault();
		dragged.dropEffect = "none";
	};
	addEventListener("dragover", refuse);
	addEventListener("drop", refuse);
}
