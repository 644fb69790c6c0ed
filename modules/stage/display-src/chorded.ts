import type { PlacedChord } from "./shown";

/** A part of a line that begins with a chord, or without one. */
interface Part {
	readonly chord: string;
	readonly words: string;
}

/** Divides a line at its chords and at its spaces, so that a word stays whole when the line is broken. */
function wordsOf(line: string, chords: readonly PlacedChord[]): Part[][] {
	const letters = [...line];
	const words: Part[][] = [[]];
	let begun = 0;
	let chord = "";
	const end = (at: number) => {
		const text = letters.slice(begun, at).join("");
		if (text !== "" || chord !== "") words[words.length - 1]?.push({ chord, words: text });
		[begun, chord] = [at, ""];
	};
	const left = [...chords];
	for (let at = 0; at <= letters.length; at++) {
		for (let next = left[0]; next !== undefined && next.at <= at; next = left[0]) {
			end(at);
			chord = next.chord;
			left.shift();
		}
		if (letters[at] !== " ") continue;
		end(at + 1);
		words.push([]);
	}
	end(letters.length);
	return words.filter((parts) => parts.length > 0);
}

/** A line with its chords above the words. */
export function chordedLine(line: string, chords: readonly PlacedChord[]): HTMLElement {
	const element = document.createElement("div");
	element.className = "line chorded";
	element.dir = "auto";
	for (const parts of wordsOf(line, chords)) {
		const word = document.createElement("span");
		word.className = "word";
		for (const { chord, words } of parts) {
			const part = document.createElement("span");
			const above = document.createElement("span");
			above.className = "chord";
			above.textContent = chord;
			above.dir = "ltr";
			part.append(above, words);
			word.append(part);
		}
		element.append(word);
	}
	return element;
}
