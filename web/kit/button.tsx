import type { ComponentChildren, Ref, TargetedMouseEvent } from "preact";
import { useState } from "preact/hooks";
import { Icon, type IconName } from "./icons";

export interface ButtonProps {
	/** One primary a screen. "text" leads to the next step, "quiet" is an action of a row. */
	readonly kind?: "primary" | "secondary" | "text" | "quiet" | "danger";
	readonly icon?: IconName;
	readonly small?: boolean;
	readonly wide?: boolean;
	readonly submit?: boolean;
	/**
	 * Something is under way: a ring turns and further presses are ignored. A promise of onPress makes it so,
	 * too.
	 */
	readonly busy?: boolean;
	/** What is said meanwhile: "Saving". The button is as wide as the longer of the two. */
	readonly busyWords?: string | undefined;
	readonly disabled?: boolean;
	/** The whole name, where the words on the button are too few: "Edit Welcome". */
	readonly label?: string;
	readonly class?: string;
	readonly describedBy?: string;
	readonly expanded?: boolean;
	readonly controls?: string;
	readonly buttonRef?: Ref<HTMLButtonElement>;
	onPress?(event: TargetedMouseEvent<HTMLButtonElement>): unknown;
	readonly children?: ComponentChildren;
}

/** A button that shows that it was pressed, and takes no second press meanwhile. */
export function Button(props: ButtonProps) {
	const { kind = "secondary", icon, submit, busyWords, disabled, label, children } = props;
	const [working, setWorking] = useState(false);
	const busy = props.busy === true || working;
	const press = (event: TargetedMouseEvent<HTMLButtonElement>) => {
		if (busy) return event.preventDefault();
		const outcome = props.onPress?.(event);
		if (!(outcome instanceof Promise)) return;
		setWorking(true);
		void outcome.finally(() => setWorking(false));
	};
	const names = [kind !== "secondary" && kind, props.small && "small", props.wide && "wide", props.class];
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
						<span class="ring" />
						{children}
					</>
				) : (
					words
				)
			) : (
				<span class="both">
					<span data-off={busy ? "" : undefined}>{words}</span>
					<span data-off={busy ? undefined : ""}>
						<span class="ring" />
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

/** A button that is its icon. Its label is said, and shown as a hint. */
export function IconButton({ class: name, ...props }: IconButtonProps) {
	return <Button kind="quiet" {...props} class={name === undefined ? "icon" : `icon ${name}`} />;
}
