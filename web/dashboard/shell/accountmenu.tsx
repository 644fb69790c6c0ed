import { useEffect, useRef, useState } from "preact/hooks";
import { Link } from "./anchor";
import type { App } from "../app/app";
import { Caret } from "./mark";
import { accountHash } from "../app/route";
import { t } from "../words/words";

/** A disclosure beside the banner's end. */
export function AccountMenu({ app }: { readonly app: App }) {
	const [open, setOpen] = useState(false);
	const whole = useRef<HTMLDivElement>(null);
	const button = useRef<HTMLButtonElement>(null);
	const route = app.router.route.value;
	useEffect(() => setOpen(false), [route]);
	useEffect(() => {
		if (!open) return;
		const outside = (event: Event) => {
			if (!whole.current?.contains(event.target as Node)) setOpen(false);
		};
		document.addEventListener("pointerdown", outside);
		document.addEventListener("focusin", outside);
		return () => {
			document.removeEventListener("pointerdown", outside);
			document.removeEventListener("focusin", outside);
		};
	}, [open]);
	return (
		<div
			class="account"
			ref={whole}
			onKeyDown={(event) => {
				if (event.key !== "Escape" || !open) return;
				setOpen(false);
				button.current?.focus();
			}}
		>
			<button
				type="button"
				class="quiet"
				ref={button}
				aria-expanded={open}
				aria-controls="account-panel"
				onClick={() => setOpen(!open)}
			>
				{t("account")}
				<Caret />
			</button>
			<div id="account-panel" class="account-panel" hidden={!open}>
				<Link app={app} to={accountHash} class="button">
					{t("accountAndSettings")}
				</Link>
				<button type="button" onClick={() => signOut(app)}>
					{t("signOut")}
				</button>
			</div>
		</div>
	);
}

/** Signs out, once unsaved work may go. */
export function signOut(app: App): void {
	app.router.whenFree(() => {
		void app.session.leave().then((failure) => {
			if (failure) app.announce(t("stillSignedIn"), "assertive");
		});
	});
}
