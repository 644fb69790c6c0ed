import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../../kit/icons";
import { Tile } from "../../kit/layout";
import { initialsOf } from "../../kit/person";
import type { App } from "../app/app";
import { accountHash } from "../app/route";
import { t } from "../words/words";
import { Link } from "./anchor";

/** The person's name in the header, with the menu for their own account. */
export function AccountMenu({ app }: { readonly app: App }) {
	const [open, setOpen] = useState(false);
	const whole = useRef<HTMLDivElement>(null);
	const button = useRef<HTMLButtonElement>(null);
	const name = app.data.account.value.value?.name ?? "";
	const route = app.router.route.value;
	useLayoutEffect(() => setOpen(false), [route]); // before the person can have opened it again
	useEffect(() => {
		if (!open) return;
		const stop = new AbortController();
		const outside = (event: Event) => {
			if (!whole.current?.contains(event.target as Node)) setOpen(false);
		};
		document.addEventListener("pointerdown", outside, stop);
		document.addEventListener("focusin", outside, stop);
		return () => stop.abort();
	}, [open]);
	return (
		<div
			class="host-account"
			ref={whole}
			onKeyDown={(event) => {
				if (event.key !== "Escape" || !open) return;
				setOpen(false);
				button.current?.focus();
			}}
		>
			<button
				type="button"
				class="d-quiet"
				ref={button}
				aria-label={name === "" ? t("account") : undefined} // a label would lack the initials
				aria-expanded={open}
				aria-controls="account-panel"
				onClick={() => setOpen(!open)}
			>
				{name === "" ? <Tile icon="person" lit /> : <Tile initials={initialsOf(name)} lit />}
				{name !== "" && <span class="d-unseen">{t("accountOf", { name })}</span>}
				<bdi class="host-account-name" aria-hidden="true">
					{name === "" ? t("account") : name}
				</bdi>
				<Icon name="chevronDown" size={16} />
			</button>
			<div id="account-panel" class="host-account-panel" hidden={!open}>
				<Link app={app} to={accountHash} class="d-button">
					<Icon name="sliders" size={16} />
					{t("accountAndSettings")}
				</Link>
				<button
					type="button"
					onClick={() => {
						setOpen(false);
						button.current?.focus();
						app.signOut();
					}}
				>
					<Icon name="signOut" size={16} />
					{t("signOut")}
				</button>
			</div>
		</div>
	);
}
