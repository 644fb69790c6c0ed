import type { ComponentChildren } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { Field, type FieldProps } from "./field";
import { Icon } from "./icons";
import { k } from "./words";

export interface ComboboxOption {
	readonly id: string;
	readonly label: string;
	/** What tells it from another of the same name. */
	readonly detail?: string;
}

export interface ComboboxProps extends FieldProps {
	readonly options: readonly ComboboxOption[];
	readonly chosen: string | undefined;
	onChoose(id: string | undefined): void;
}

/** A field that finds one of many. Down opens, Enter takes, Escape closes and then clears. */
export function Combobox(props: ComboboxProps) {
	const { options, chosen, onChoose } = props;
	const list = useId();
	const known = options.find(({ id }) => id === chosen);
	const [typed, setTyped] = useState<string>();
	const [open, setOpen] = useState(false);
	const [at, setAt] = useState(0);
	const popup = useRef<HTMLDivElement>(null);
	const query = (typed ?? "").trim().toLowerCase();
	const found = options.filter(({ label, detail }) =>
		`${label} ${detail ?? ""}`.toLowerCase().includes(query),
	);
	const active = Math.min(at, found.length - 1);
	const move = (to: number) => {
		setOpen(true);
		setAt((to + found.length) % Math.max(found.length, 1));
		popup.current?.children[to]?.scrollIntoView({ block: "nearest" });
	};
	const take = (option: ComboboxOption | undefined) => {
		if (option === undefined) return;
		setTyped(undefined);
		setOpen(false);
		onChoose(option.id);
	};
	const keys = (event: KeyboardEvent) => {
		if (event.key === "ArrowDown") move(open ? active + 1 : 0);
		else if (event.key === "ArrowUp") move(open ? active - 1 : found.length - 1);
		else if (event.key === "Enter" && open) take(found[active]);
		else if (event.key === "Escape" && open) setOpen(false);
		else if (event.key === "Escape" && (typed ?? known?.label ?? "") !== "") {
			setTyped(undefined);
			onChoose(undefined);
		} else return;
		event.preventDefault();
		event.stopPropagation();
	};
	return (
		<Field
			{...props}
			control={(control) => (
				<div class="combobox">
					<input
						{...control}
						role="combobox"
						autocomplete="off"
						dir="auto"
						aria-expanded={open}
						aria-controls={list}
						aria-autocomplete="list"
						aria-activedescendant={open && found.length > 0 ? `${list}-${active}` : undefined}
						value={typed ?? known?.label ?? ""}
						onInput={(event) => {
							setTyped(event.currentTarget.value);
							setAt(0);
							setOpen(true);
						}}
						onClick={() => setOpen(true)}
						onBlur={() => {
							setOpen(false);
							setTyped(undefined);
						}}
						onKeyDown={keys}
					/>
					<Icon name="chevronDown" size={16} />
					<div
						id={list}
						ref={popup}
						class="options"
						role="listbox"
						aria-label={props.label}
						hidden={!open || found.length === 0}
						onPointerDown={(event) => event.preventDefault()}
					>
						{found.map((option, place) => (
							<div
								key={option.id}
								id={`${list}-${place}`}
								role="option"
								aria-selected={place === active}
								onClick={() => take(option)}
							>
								<span>{marked(option.label, query)}</span>
								{option.detail !== undefined && <span class="detail">{option.detail}</span>}
							</div>
						))}
					</div>
					{open && found.length === 0 && <div class="options none">{k("noMatch")}</div>}
					<span class="unseen" role="status">
						{open && query !== "" ? k("matches", { count: found.length }) : ""}
					</span>
				</div>
			)}
		/>
	);
}

function marked(label: string, query: string): ComponentChildren {
	const from = query === "" ? -1 : label.toLowerCase().indexOf(query);
	if (from < 0) return label;
	const to = from + query.length;
	return (
		<>
			{label.slice(0, from)}
			<mark>{label.slice(from, to)}</mark>
			{label.slice(to)}
		</>
	);
}
