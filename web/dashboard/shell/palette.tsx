import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { marked } from "../../kit/combobox";
import { isComposing } from "../../kit/composing";
import { useModal } from "../../kit/dialog";
import { written } from "../../kit/field";
import { Icon } from "../../kit/icons";
import type { App } from "../app/app";
import { type Destination, destinationsOf, found, peopleAmong, placeOf } from "../app/destinations";
import { usePeople } from "../app/people";
import { holds, manageConfiguration, manageGrants, managePeople } from "../screens/modules/permissions";
import { t } from "../words/words";

/** How many recent places are remembered, only in memory. */
const remembered = 5;

interface PaletteProps {
	readonly app: App;
	readonly open: boolean;
	onOpen(open: boolean): void;
}

/**
 * Finds a module, its settings, a screen or a person by a few letters, from every screen: with Ctrl+K, or the
 * find field.
 */
export function Palette({ app, open, onOpen }: PaletteProps) {
	const recent = useRef<readonly string[]>([]);
	const here = placeOf(app.router.route.value);
	useEffect(() => {
		if (here === undefined) return;
		recent.current = [here, ...recent.current.filter((other) => other !== here)].slice(0, remembered + 1);
	}, [here]);
	useEffect(() => {
		const stop = new AbortController();
		const press = (event: KeyboardEvent) => {
			const asked = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
			// a module may use the same keys in a field of its own
			if (!asked || event.key.toLowerCase() !== "k" || event.defaultPrevented) return;
			event.preventDefault();
			if (document.querySelector("dialog[open]") === null) onOpen(true);
		};
		document.addEventListener("keydown", press, stop);
		return () => stop.abort();
	}, []);
	if (!open) return null;
	const elsewhere = recent.current.filter((place) => place !== here);
	return <Search app={app} recent={elsewhere} close={() => onOpen(false)} />;
}

interface SearchProps {
	readonly app: App;
	/** The recent places, newest first, without the current one. */
	readonly recent: readonly string[];
	close(): void;
}

function Search({ app, recent, close }: SearchProps) {
	const list = useId();
	const dialog = useRef<HTMLDialogElement>(null);
	const [typed, setTyped] = useState("");
	const [at, setAt] = useState(0);
	const mayFind = holds(app, managePeople) || holds(app, manageGrants);
	const people = usePeople(app, mayFind && typed.trim() !== "" ? typed : undefined);
	const options = [...found(destinationsOf(app), typed, recent), ...peopleAmong(app, people, typed)];
	const active = Math.min(at, options.length - 1);
	useModal(dialog);
	useLayoutEffect(() => {
		if (holds(app, manageConfiguration)) void app.data.configurations.load();
	}, []);
	useLayoutEffect(() => {
		dialog.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
	}, [active, typed]);
	const take = (option: Destination | undefined) => {
		if (option === undefined) return;
		dialog.current?.close(); // returns the focus before the new screen takes it
		close();
		app.router.go(option.to);
	};
	const move = (by: number) => setAt((active + by + options.length) % Math.max(options.length, 1));
	const keys = (event: KeyboardEvent) => {
		if (isComposing(event)) return;
		if (event.key === "ArrowDown") move(1);
		else if (event.key === "ArrowUp") move(-1);
		else if (event.key === "Enter") take(options[active]);
		else return;
		event.preventDefault();
	};
	return (
		<dialog
			ref={dialog}
			class="host-palette"
			aria-label={t("find")}
			onCancel={(event) => {
				event.preventDefault();
				close();
			}}
			onClick={(event) => event.target === dialog.current && close()}
		>
			<div class="host-palette-field">
				<Icon name="search" />
				<input
					role="combobox"
					aria-label={t("find")}
					aria-expanded={options.length > 0}
					aria-controls={list}
					aria-autocomplete="list"
					aria-activedescendant={options.length > 0 ? `${list}-${active}` : undefined}
					autocomplete="off"
					spellcheck={false}
					dir={written(typed)}
					placeholder={t("findHint")}
					value={typed}
					onInput={(event) => {
						setTyped(event.currentTarget.value);
						setAt(0);
					}}
					onKeyDown={keys}
				/>
			</div>
			<div id={list} class="d-options" role="listbox" aria-label={t("find")} hidden={options.length === 0}>
				{options.map((option, place) => (
					<div
						key={option.to}
						id={`${list}-${place}`}
						role="option"
						aria-selected={place === active}
						onPointerDown={(event) => event.preventDefault()} // the field keeps the focus
						onPointerMove={() => setAt(place)}
						onClick={() => take(option)}
					>
						<Icon name={option.icon} />
						<bdi>{marked(option.name, typed)}</bdi>
						<span class="d-detail">{option.kind}</span>
					</div>
				))}
			</div>
			{options.length === 0 && <p class="d-muted">{t("noMatch")}</p>}
			<span class="d-unseen" role="status">
				{typed === "" ? "" : t("matches", { count: options.length })}
			</span>
		</dialog>
	);
}
