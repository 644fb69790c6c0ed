import type { ComponentChildren, Ref, TargetedMouseEvent } from "preact";
import { useContext, useRef, useState } from "preact/hooks";
import { Icon, type IconName } from "./icons";
import { FormSending } from "./sending";

export interface ButtonProps {
	/** A screen has one primary button. "text" leads to the next step, "quiet" is an action in a row. */
	readonly kind?: "primary" | "secondary" | "text" | "quiet" | "danger";
	readonly icon?: IconName;
	readonly small?: boolean;
	readonly wide?: boolean;
	/** Submits the form that it is in, or that of the dialog in whose footer it is. */
	readonly submit?: boolean;
	/**
	 * An action is in progress: a spinner is shown and further presses are ignored. A promise that onPress
	 * returns has the same effect until it settles.
	 */
	readonly busy?: boolean;
	/**
	 * The text while the action is in progress: "Saving". The button is as wide as the longer of its two
	 * texts.
	 */
	readonly busyWords?: string | undefined;
	readonly disabled?: boolean;
	/** The full accessible name if the button's text is too short: "Edit Welcome". */
	readonly label?: string;
	readonly class?: string;
	readonly describedBy?: string;
	readonly expanded?: boolean;
	readonly controls?: string;
	readonly buttonRef?: Ref<HTMLButtonElement>;
	onPress?(event: TargetedMouseEvent<HTMLButtonElement>): unknown;
	readonly children?: ComponentChildren;
}

/** A button that shows that its action is in progress, and ignores presses until it has finished. */
export function Button(props: ButtonProps) {
	const { kind = "secondary", icon, submit, busyWords, disabled, label, children } = props;
	const [working, setWorking] = useState(false);
	const atWork = useRef(false); // a second press may come before the next rendering
	const sending = useContext(FormSending);
	const busy = props.busy === true || working || (submit === true && sending?.busy.value === true);
	const press = (event: TargetedMouseEvent<HTMLButtonElement>) => {
		if (busy || atWork.current) return event.preventDefault();
		const outcome = props.onPress?.(event);
		if (submit && event.currentTarget.form === null) sending?.form.current?.requestSubmit();
		if (!(outcome instanceof Promise)) return;
		const work = (at: boolean) => setWorking((atWork.current = at));
		work(true);
		void outcome.finally(() => work(false));
	};
	const kindName = kind !== "secondary" && `d-${kind}`;
	const names = [kindName, props.small && "d-small", props.wide && "d-wide", props.class];
	const words = (
		<>
			{icon && <Icon name={icon} size={16} />}
			{children}
		</>
	);
	return (
		<button
			type={submit ? "submit" : "button"}
			class={names.filter(Boolean).join(" ") || undefined}
			ref={props.buttonRef ?? null}
			aria-busy={busy || undefined}
			aria-disabled={busy || undefined}
			aria-label={label}
			title={children === undefined ? label : undefined}
			aria-describedby={props.describedBy}
			aria-expanded={props.expanded}
			aria-controls={props.controls}
			disabled={disabled}
			onClick={press}
		>
			{busyWords === undefined ? (
				busy ? (
					<>
						<span class="d-ring" />
						{children}
					</>
				) : (
					words
				)
			) : (
				<span class="d-both">
					<span data-off={busy ? "" : undefined}>{words}</span>
					<span data-off={busy ? undefined : ""}>
						<span class="d-ring" />
						{busyWords}
					</span>
				</span>
			)}
		</button>
	);
}

export interface IconButtonProps extends Omit<ButtonProps, "children" | "icon" | "label"> {
	readonly icon: IconName;
	readonly label: string;
}

/** A button that shows only an icon. Its label is its accessible name, and is shown as a tooltip. */
export function IconButton({ class: name, ...props }: IconButtonProps) {
	return <Button kind="quiet" {...props} class={name === undefined ? "d-icon" : `d-icon ${name}`} />;
}
