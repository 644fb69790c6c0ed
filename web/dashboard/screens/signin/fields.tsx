import type { RefObject } from "preact";
import { TextField } from "../../../kit/field";
import { w } from "./words";

interface EmailFieldProps {
	readonly value: string;
	change(value: string): void;
	readonly error?: string | undefined;
	readonly input: RefObject<HTMLInputElement | null>;
}

export function EmailField({ value, change, error, input }: EmailFieldProps) {
	return (
		<TextField
			label={w("email")}
			name="email"
			type="email"
			dir="ltr"
			autocomplete="username"
			required
			value={value}
			onInput={change}
			error={error}
			inputRef={input}
		/>
	);
}

/**
 * What is wrong with an address, checked before it is sent. This only catches typing errors; the server
 * checks the full syntax.
 */
export function emailProblem(email: string): string | undefined {
	if (email === "") return w("emailNeeded");
	return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email) ? undefined : w("emailForm");
}

/** What is wrong with a new password. Its length is counted as on the server: in UTF-16 units. */
export function newPasswordProblem(password: string): string | undefined {
	if (password.length < 8) return w("tooShort", { count: 8 - password.length });
	return password.length > 128 ? w("tooLong") : undefined;
}
