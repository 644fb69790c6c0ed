import type { ComponentChildren } from "preact";

export interface SwitchProps {
	readonly checked: boolean;
	readonly label: string;
	/** For a table whose column heading has the label. */
	readonly hideLabel?: boolean;
	/** The text beside the switch in a card, if the label is longer. In a table the column heading has it. */
	readonly words?: string;
	readonly busy?: boolean;
	onChange(checked: boolean): void;
}

/** A choice that takes effect at once. If Save is needed, use a checkbox. */
export function Switch({ checked, label, hideLabel, words, busy, onChange }: SwitchProps) {
	return (
		<label class="d-switch">
			<input
				type="checkbox"
				role="switch"
				checked={checked}
				aria-busy={busy || undefined}
				aria-label={hideLabel || words !== undefined ? label : undefined}
				onClick={(event) => busy && event.preventDefault()}
				onChange={(event) => onChange(event.currentTarget.checked)}
			/>
			{words === undefined ? !hideLabel && label : <span class="d-in-card">{words}</span>}
		</label>
	);
}

export interface Segment<Id extends string> {
	readonly id: Id;
	readonly label: ComponentChildren;
	readonly count?: number;
}

export interface SegmentsProps<Id extends string> {
	readonly name: string;
	readonly label: string;
	readonly segments: readonly Segment<Id>[];
	readonly chosen: Id;
	onChoose(id: Id): void;
}

/** A choice between two to four options. */
export function Segments<Id extends string>({ name, label, segments, chosen, onChoose }: SegmentsProps<Id>) {
	return (
		<div class="d-segments" role="radiogroup" aria-label={label}>
			{segments.map((segment) => (
				<label key={segment.id} class={segment.id === chosen ? "d-chosen" : undefined}>
					<input
						type="radio"
						name={name}
						checked={segment.id === chosen}
						onChange={() => onChoose(segment.id)}
					/>
					{segment.label}
					{segment.count !== undefined && <span class="d-count">{segment.count}</span>}
				</label>
			))}
		</div>
	);
}
