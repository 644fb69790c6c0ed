import { Icon } from "../../kit/icons";

interface FilterProps {
	readonly label: string;
	readonly value: string;
	/** The most characters, if the server refuses more. */
	readonly maxLength?: number;
	onInput(value: string): void;
}

/** A field at the end of a toolbar that filters the rows. */
export function Filter({ label, value, maxLength, onInput }: FilterProps) {
	return (
		<span class="host-filter">
			<Icon name="search" size={16} />
			<input
				type="search"
				aria-label={label}
				placeholder={label}
				value={value}
				maxLength={maxLength}
				onInput={(event) => onInput(event.currentTarget.value)}
			/>
		</span>
	);
}
