import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";

export interface Column<Row> {
	readonly id: string;
	readonly head: string;
	/** The heading is only for screen readers. */
	readonly hideHead?: boolean;
	/** "title" is the title of the card on a phone, "actions" are at the end of the row. */
	readonly part?: "title" | "actions" | "detail";
	/** A CSS width. */
	readonly width?: string;
	cell(row: Row, at: number): ComponentChildren;
}

export interface TableProps<Row> {
	readonly label: string;
	readonly columns: readonly Column<Row>[];
	readonly rows: readonly Row[];
	readonly class?: string;
	rowId(row: Row): string;
	rowClass?(row: Row): string | undefined;
}

/** How many rows are rendered at first, and how many are added after each frame. */
const atOnce = 40;
const perFrame = 80;

/**
 * Returns how many rows of a long table to render, so that the first rows appear before the last ones are
 * rendered.
 */
function useGradually(count: number): number {
	const [shown, setShown] = useState(atOnce);
	useEffect(() => {
		if (shown >= count) return;
		let timer: ReturnType<typeof setTimeout> | undefined;
		const frame = requestAnimationFrame(() => {
			timer = setTimeout(() => setShown(shown + perFrame)); // after the frame has been painted
		});
		return () => {
			cancelAnimationFrame(frame);
			clearTimeout(timer);
		};
	}, [shown, count]);
	return shown;
}

/** A table that becomes cards on a phone, in the same order. */
export function Table<Row>({ label, columns, rows, class: name, rowId, rowClass }: TableProps<Row>) {
	const shown = useGradually(rows.length);
	return (
		<div class="d-table-holder">
			<table class={name === undefined ? "d-table" : `d-table ${name}`} role="table" aria-label={label}>
				<thead role="rowgroup">
					<tr role="row">
						{columns.map(({ id, head, hideHead, width }) => (
							<th
								key={id}
								role="columnheader"
								scope="col"
								style={width === undefined ? undefined : { inlineSize: width }}
							>
								{hideHead ? <span class="d-unseen">{head}</span> : head}
							</th>
						))}
					</tr>
				</thead>
				<tbody role="rowgroup">
					{rows.slice(0, shown).map((row, at) => (
						<tr key={rowId(row)} role="row" class={rowClass?.(row)} data-row={rowId(row)}>
							{columns.map(({ id, part, cell }) => (
								<td key={id} role="cell" class={part && `d-${part}`}>
									{cell(row, at)}
								</td>
							))}
						</tr>
					))}
				</tbody>
			</table>
		</div>
	);
}

export interface ListRowProps {
	readonly lead?: ComponentChildren;
	readonly title: ComponentChildren;
	readonly second?: ComponentChildren;
	readonly children?: ComponentChildren;
	readonly moved?: boolean;
	readonly rowId?: string;
	readonly class?: string;
}

/** One row of a list whose items have actions of their own. */
export function ListRow({ lead, title, second, children, moved, rowId, class: name = "" }: ListRowProps) {
	return (
		<li class={`d-list-row ${moved ? "d-moved" : ""} ${name}`.trim()} data-row={rowId}>
			{lead}
			<div class="d-about">
				<div class="d-name">{title}</div>
				{second !== undefined && <div class="d-second">{second}</div>}
			</div>
			{children}
		</li>
	);
}
