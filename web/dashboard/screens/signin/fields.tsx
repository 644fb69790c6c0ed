import type { RefObject } from "preact";
import { useId, useState } from "preact/hooks";
import { t } from "../../words/words";

interface FieldProps {
	readonly value: string;
	change(value: string): void;
	readonly error?: string | undefined;
	readonly input: RefObject<HTMLInputElement | null>;
}

interface PasswordFieldProps extends FieldProps {
	readonly label: string;
	readonly autocomplete: "current-password" | "new-password";
}

export function EmailField({ value, change, error, input }: FieldProps) {
	const id = useId();
	return (
		<div class="field">
			<label for={id}>{t("email")}</label>
			<input
				ref={input}
				id={id}
				type="email"
				name="email"
				dir="ltr"
				autocomplete="username"
				autocapitalize="none"
				spellcheck={false}
				required
				value={value}
				onInput={(event) => change(event.currentTarget.value)}
				aria-invalid={error !== undefined}
				aria-describedby={error && `${id}-error`}
			/>
			<FieldError id={id} error={error} />
		</div>
	);
}

/** A password that can be looked at. */
export function PasswordField({ label, autocomplete, value, change, error, input }: PasswordFieldProps) {
	const id = useId();
	const [open, setOpen] = useState(false);
	return (
		<div class="field">
			<label for={id}>{label}</label>
			<div class="reveal" dir="ltr">
				<input
					ref={input}
					id={id}
					type={(open ? "text" : "password") as "password"}
					name={autocomplete}
					dir="ltr"
					autocomplete={autocomplete}
					autocapitalize="none"
					spellcheck={false}
					required
					value={value}
					onInput={(event) => change(event.currentTarget.value)}
					aria-invalid={error !== undefined}
					aria-describedby={error && `${id}-error`}
				/>
				<button type="button" class="quiet" aria-label={open ? t("hidePassword") : t("showPassword")} onClick={() => setOpen(!open)}>
					{open ? t("hide") : t("show")}
				</button>
			</div>
			<FieldError id={id} error={error} />
		</div>
	);
}

function FieldError({ id, error }: { readonly id: string; readonly error: string | undefined }) {
	return error === undefined ? null : (
		<p id={`${id}-error`} class="wrong">
			{error}
		</p>
	);
}

/** What is wrong with an address before it is sent; the server knows its grammar, this catches slips. */
export function emailProblem(email: string): string | undefined {
	if (email === "") return t("emailNeeded");
	return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email) ? undefined : t("emailForm");
}

/** What is wrong with a new password. Length counts as the server counts: UTF-16 units. */
export function newPasswordProblem(password: string): string | undefined {
	if (password.length < 8) return t("tooShort", { count: 8 - password.length });
	return password.length > 128 ? t("tooLong") : undefined;
}
