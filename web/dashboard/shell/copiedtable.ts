/**
 * Copies selected rows of a table as a spreadsheet wants them: each row in one row, each cell in one cell,
 * and no buttons. Browsers make a row of each line in a cell.
 */
export function copyTables(): void {
	document.addEventListener("copy", (event) => {
		const selection = getSelection();
		if (selection === null || selection.rangeCount === 0 || event.clipboardData === null) return;
		if (event.target instanceof Element && event.target.closest("input, textarea") !== null) return;
		const { commonAncestorContainer: within } = selection.getRangeAt(0);
		const element = within instanceof Element ? within : within.parentElement;
		const table = element?.closest("table");
		if (!table || element?.closest("td, th")) return; // a part of one cell
		const rows = [...table.rows];
		const actions = new Set(rows.flatMap(({ cells }) =>
			[...cells].flatMap((cell, at) => (cell.matches(".d-actions") ? [at] : []))));
		const words = rows
			.filter((row) => selection.containsNode(row, true))
			.map(({ cells }) => [...cells].filter((_, at) => !actions.has(at)).map(wordsOf));
		const copy = document.createElement("table");
		for (const row of words) {
			const line = copy.insertRow();
			for (const cell of row) line.insertCell().textContent = cell;
		}
		event.clipboardData.setData("text/plain", words.map((row) => row.join("\t")).join("\n"));
		event.clipboardData.setData("text/html", copy.outerHTML);
		event.preventDefault();
	});
}

/** The lines of a cell in one, without what only decorates it, such as initials. */
function wordsOf(cell: HTMLElement): string {
	const hidden = cell.querySelectorAll<HTMLElement>("[aria-hidden=true]");
	const decoration = [...hidden].map((part) => part.innerText);
	const lines = cell.innerText.trim().split(/\s*\n\s*/);
	return lines.filter((line) => !decoration.includes(line)).join(", ");
}
