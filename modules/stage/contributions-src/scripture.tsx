import { hyphenated, lineHeightFor, TextField } from "@narthex/kit";
import { defineContribution } from "@narthex/sdk";
import { render } from "preact";
import { useState } from "preact/hooks";
import { shrink } from "../display-src/fit";

/** The payload of the slide: words of the scripture, and their reference. */
interface Scripture {
	readonly text: string;
	readonly reference: string;
}

/** Limits that keep the words readable from afar, in characters. */
const maxText = 320;
const maxReference = 60;

const words = {
	en: { label: "Scripture", text: "Words", reference: "Reference", help: "Such as Psalm 23:1." },
	de: { label: "Bibelwort", text: "Worte", reference: "Stelle", help: "Etwa Psalm 23,1." },
} as const;
const wordsFor = (locale: string) => words[locale.startsWith("de") ? "de" : "en"];

/** The payload, with empty texts for whatever is missing. */
function scriptureOf(payload: unknown): Scripture {
	const { text, reference } = (payload ?? {}) as { readonly [key: string]: unknown };
	return {
		text: typeof text === "string" ? text : "",
		reference: typeof reference === "string" ? reference : "",
	};
}

interface FieldsProps {
	readonly payload: unknown;
	readonly locale: string;
	onChange(payload: object): void;
}

function Fields({ payload, locale, onChange }: FieldsProps) {
	const [scripture, setScripture] = useState(scriptureOf(payload));
	const say = wordsFor(locale);
	const change = (part: Partial<Scripture>) => {
		const next = { ...scripture, ...part };
		setScripture(next);
		onChange(next);
	};
	return (
		<>
			<TextField
				label={say.text}
				lines={5}
				maxLength={maxText}
				value={scripture.text}
				onInput={(text) => change({ text })}
			/>
			<TextField
				label={say.reference}
				help={say.help}
				maxLength={maxReference}
				value={scripture.reference}
				onInput={(reference) => change({ reference })}
			/>
		</>
	);
}

/** The usual size for the words, in parts of the shorter side. Even the smallest can be read from afar. */
function sizeOf(text: string): number {
	const sizes = [
		[80, 9],
		[160, 7.6],
		[240, 6.6],
	] as const;
	return sizes.find(([most]) => text.length <= most)?.[1] ?? 6;
}

export default defineContribution({
	label: (locale: string) => wordsFor(locale).label,
	defaults: () => ({ text: "", reference: "" }),
	edit(
		container: HTMLElement,
		payload: unknown,
		onChange: (payload: object) => void,
		{ locale }: { readonly locale: string },
	) {
		render(<Fields payload={payload} locale={locale} onChange={onChange} />, container);
		return () => render(null, container);
	},
	render(container: HTMLElement, payload: unknown, { locale }: { readonly locale: string }) {
		const { text, reference } = scriptureOf(payload);
		const element = document.createElement("div");
		element.style.cssText = `box-sizing: border-box; block-size: 100%; padding: 8cqmin; display: flex;
			flex-direction: column; justify-content: center; gap: 4cqmin; text-align: center; text-wrap: balance;
			overflow: hidden; overflow-wrap: anywhere; hyphens: auto; color: #f2f4f7;`;
		const said = line(hyphenated(text, locale), "white-space: pre-line;");
		const from = line(reference, "font-size: 5cqmin; color: #b8c2ce;");
		element.append(said, from);
		container.replaceChildren(element);
		const resized = new ResizeObserver(() => {
			const usual = (sizeOf(text) / 100) * Math.min(element.clientWidth, element.clientHeight);
			for (const part of [said, from]) part.style.lineHeight = String(lineHeightFor(part, 1.3));
			shrink(said, usual, usual / 2, () => element.scrollHeight > element.clientHeight);
		});
		resized.observe(element);
		return () => resized.disconnect();
	},
});

function line(text: string, style: string): HTMLElement {
	const element = document.createElement("div");
	element.dir = "auto";
	element.style.cssText = style;
	element.textContent = text;
	return element;
}
