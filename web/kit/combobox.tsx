import { type ComponentChildren, Fragment } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { isComposing } from "./composing";
import { Field, type FieldProps, written } from "./field";
import { hasWords, placeOf } from "./folding";
import { Icon } from "./icons";
import { k } from "./words";

export interface ComboboxOption {
	readonly id: string;
	readonly label: string;
	/** Distinguishes the option from another one of the same name. */
	readonly detail?: string;
	/** The option's code, shown below its name. */
	readonly code?: string;
	/** The heading of the option's group. */
	readonly group?: string;
}

export interface ComboboxProps extends FieldProps {
	readonly options: readonly ComboboxOption[];
	readonly chosen: string | undefined;
	/** The placeholder, if the label is not shown. */
	readonly hint?: string;
	/** Whether the list is shown at once: the field is the only one of its dialog. */
	readonly expanded?: boolean;
	/** Called with the typed text, for a caller that searches the options elsewhere. */
	onType?(text: string): void;
	onChoose(id: string | undefined): void;
}

/**
 * A field for choosing one of many options. Down opens the list, Enter chooses, Escape first closes the list
 * and then clears the field.
 */
export function Combobox(props: ComboboxProps) {
	const { options, chosen, onChoose } = props;
	const list = useId();
	const known = options.find(({ id }) => id === chosen);
	const [typed, setTyped] = useState<string>();
	const [open, setOpen] = useState(props.expanded === true);
	const [at, setAt] = useState(0);
	const popup = useRef<HTMLDivElement>(null);
	const query = (typed ?? "").trim();
	const found = options.filter(({ id, label, detail = "", code = "" }) =>
		hasWords(`${label} ${detail} ${code} ${id}`, query),
	);
	const active = Math.min(at, found.length - 1);
	const move = (to: number) => {
		setOpen(true);
		setAt((to + found.length) % Math.max(found.length, 1));
		popup.current?.querySelectorAll("[role=option]")[to]?.scrollIntoView({ block: "nearest" });
	};
	const take = (option: ComboboxOption | undefined) => {
		if (option === undefined) return;
		setTyped(undefined);
		setOpen(false);
		onChoose(option.id);
	};
	const keys = (event: KeyboardEvent) => {
		if (isComposing(event)) return;
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
				<div class="d-combobox">
					<input
						{...control}
						role="combobox"
						autocomplete="off"
						dir={written(typed ?? known?.label ?? "")}
						aria-expanded={open}
						aria-controls={list}
						aria-autocomplete="list"
						aria-activedescendant={open && found.length > 0 ? `${list}-${active}` : undefined}
						placeholder={props.hint}
						value={typed ?? known?.label ?? ""}
						onInput={(event) => {
							setTyped(event.currentTarget.value);
							props.onType?.(event.currentTarget.value);
							setAt(0);
							setOpen(true);
						}}
						onClick={() => {
							props.onType?.(typed ?? "");
							setOpen(true);
						}}
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
						class="d-options"
						role="listbox"
						aria-label={props.label}
						hidden={!open || found.length === 0}
						onPointerDown={(event) => event.preventDefault()}
					>
						{found.map((option, place) => (
							<Fragment key={option.id}>
								{option.group && option.group !== found[place - 1]?.group && (
									<div class="d-group" role="presentation">
										{option.group}
									</div>
								)}
								<div
									id={`${list}-${place}`}
									role="option"
									aria-selected={place === active}
									onClick={() => take(option)}
								>
									<span>{marked(option.label, query)}</span>
									{option.detail !== undefined && <span class="d-detail">{option.detail}</span>}
									{option.code !== undefined && option.code !== option.label && (
										<bdi dir="ltr" translate={false} class="d-code">
											{option.code}
										</bdi>
									)}
								</div>
							</Fragment>
						))}
					</div>
					{open && found.length === 0 && <div class="d-options d-none">{k("noMatch")}</div>}
					<span class="d-unseen" role="status">
						{open && query !== "" ? k("matches", { count: found.length }) : ""}
					</span>
				</div>
			)}
		/>
	);
}

/** A label in which the part that was searched for is marked. */
export function marked(label: string, query: string): ComponentChildren {
	const place = placeOf(label, query);
	if (place === undefined) return label;
	const [from, to] = place;
	return (
		<>
			{label.slice(0, from)}
			<mark>{label.slice(from, to)}</mark>
			{label.slice(to)}
		</>
	);
}
