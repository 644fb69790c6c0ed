/** All icons: outlines on a grid of 24, by name. A module's manifest may name one. */
const drawings = {
	home: "M4 20V11a8 8 0 0 1 16 0v9M2.5 20h19M9.5 20v-5.5a2.5 2.5 0 0 1 5 0V20",
	modules:
		"M4 10.5V7a3 3 0 0 1 6 0v3.5zM14 10.5V7a3 3 0 0 1 6 0v3.5zM4 20v-3.5a3 3 0 0 1 6 0V20z" +
		"M14 20v-3.5a3 3 0 0 1 6 0V20z",
	key: "M11.8 11.8 20 20m-2.5-2.5-2 2M12.5 8a4.5 4.5 0 1 1-9 0 4.5 4.5 0 0 1 9 0z",
	list: "M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01",
	screen: "M3 5h18v11H3zM9 20h6M12 16v4",
	person: "M12 11.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM5 20a7 7 0 0 1 14 0",
	people:
		"M9 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM3 19a6 6 0 0 1 12 0M15.5 5.3a3 3 0 0 1 0 5.4M17.5 13.7A6 6 0 0 1 21 19",
	activity: "M12 7.5V12l3 2M20 12a8 8 0 1 1-2.5-5.8M20 4v3.5h-3.5",
	house: "M3.5 11 12 4l8.5 7M6 9.5V20h12V9.5M10 20v-4a2 2 0 0 1 4 0v4",
	search: "M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.5 15.5 20 20",
	menu: "M4 7h16M4 12h16M4 17h16",
	plus: "M12 5v14M5 12h14",
	check: "M5 12.5 10 17l9-10",
	x: "M6 6l12 12M18 6 6 18",
	more: "M5.5 12h.01M12 12h.01M18.5 12h.01",
	grip: "M9 6h.01M15 6h.01M9 12h.01M15 12h.01M9 18h.01M15 18h.01",
	up: "M12 19V5M6 11l6-6 6 6",
	down: "M12 5v14M6 13l6 6 6-6",
	chevronDown: "M6 9.5 12 15l6-5.5",
	chevronRight: "M9.5 6 15 12l-5.5 6",
	print: "M7 9V4h10v5M7 17H4V9h16v8h-3M7 14h10v6H7z",
	copy: "M9 9h11v11H9zM15 9V4H4v11h5",
	undo: "M8 5 4 9l4 4M4 9h10a5.5 5.5 0 0 1 0 11h-3",
	refresh: "M19.5 9A8 8 0 1 0 20 12M20 4.5V9h-4.5",
	alert: "M12 4 2.5 20h19zM12 10v4.5M12 17.3h.01",
	info: "M12 20.5a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17zM12 11v5M12 8h.01",
	offline:
		"M4 4l16 16M5 11a10 10 0 0 1 4.5-2.6M13.5 8.2A10 10 0 0 1 19 11M8 14.5a6 6 0 0 1 6-1" +
		"M12 18.5h.01M2 7.5a15 15 0 0 1 4-2.2M11 4.5a15 15 0 0 1 11 3",
	eye:
		"M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12z" +
		"M12 14.8a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6z",
	eyeOff:
		"M4 4l16 16M9.5 6a9 9 0 0 1 2.5-.5c6 0 9.5 6.5 9.5 6.5a16 16 0 0 1-3 3.5" +
		"M6.5 7.5A16 16 0 0 0 2.5 12S6 18.5 12 18.5a9 9 0 0 0 4-1",
	mail: "M3 5.5h18v13H3zM3 6.5l9 7 9-7",
	calendar: "M4 6h16v14H4zM4 10.5h16M8 3.5V8M16 3.5V8",
	clock: "M12 20.5a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17zM12 7.5V12l3 2",
	timer: "M12 20.5a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM12 10v3.5M9.5 3.5h5M17.5 7l1.5-1.5",
	sliders:
		"M4 8h9M17 8h3M15 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM4 16h3M11 16h9M9 18a2 2 0 1 0 0-4 2 2 0 0 0 0 4z",
	upload: "M12 16V4M7 8.5 12 4l5 4.5M4 15v5h16v-5",
	trash: "M4 6.5h16M9 6.5V4h6v2.5M6 6.5 7 20h10l1-13.5M10 10.5v6M14 10.5v6",
	pencil: "M4 20l1-4.5L16 4.5l3.5 3.5-11 11zM13.5 7l3.5 3.5",
	signOut: "M10 4H4.5v16H10M9.5 12H20M16 8l4 4-4 4",
	sun:
		"M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4" +
		"M17.3 17.3l1.4 1.4M18.7 5.3l-1.4 1.4M6.7 17.3l-1.4 1.4",
	moon: "M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z",
	play: "M7 4.5v15L19.5 12z",
	external: "M14 4h6v6M20 4l-9 9M10 5H4v15h15v-6",
	qr: "M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h2.5v2.5H14zM20 14v.01M20 20h-2.5M14 20h.01",
	globe: "M12 20.5a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17zM3.5 12h17M12 3.5c5 5 5 12 0 17-5-5-5-12 0-17z",
	door: "M6 20.5V10a6 6 0 0 1 12 0v10.5M3.5 20.5h17M14.5 14h.01",
	text: "M4 6.5h16M4 12h16M4 17.5h10",
	megaphone: "M4 10v5h3l9 4.5v-14L7 10zM8 15.5l1 5h2.5l-.8-4M19 9.5a4 4 0 0 1 0 6",
	lectern: "M8 3.5h8l2.5 6h-13zM7 9.5c0 3 2 4.5 5 4.5s5-1.5 5-4.5M12 14v6.5M6 20.5h12",
	rota: "M4 6h16v14H4zM4 10.5h16M8 3.5V8M16 3.5V8M9 15l2.5 2 4-3.5",
	music:
		"M9 18V6l10-2v12M6.5 20.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z" +
		"M16.5 18.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z",
	book: "M12 6.5C9.5 5 6.5 4.5 3 4.5v14c3.5 0 6.5.5 9 2 2.5-1.5 5.5-2 9-2v-14c-3.5 0-6.5.5-9 2zM12 6.5v14",
	heart: "M12 20C6 15.5 3.5 12.5 3.5 9A4.5 4.5 0 0 1 12 7a4.5 4.5 0 0 1 8.5 2c0 3.5-2.5 6.5-8.5 11z",
	cup:
		"M5 10h12v6a4.5 4.5 0 0 1-4.5 4.5h-3A4.5 4.5 0 0 1 5 16zM17 11.5h1.5a2.5 2.5 0 0 1 0 5H17" +
		"M9 3.5V7M13 3.5V7",
} as const;

export type IconName = keyof typeof drawings;

export const iconNames = Object.keys(drawings) as IconName[];

/** Icons that are mirrored in right-to-left text. */
const mirrored = new Set<IconName>(["chevronRight", "undo", "list", "signOut", "text", "external"]);
const dots = new Set<IconName>(["more", "grip"]);

interface IconProps {
	/** An unknown name draws a door. */
	readonly name: IconName | (string & {});
	readonly size?: number;
}

export function Icon({ name, size = 20 }: IconProps) {
	const known = (name in drawings ? name : "door") as IconName;
	return (
		<svg
			class={mirrored.has(known) ? "d-icon-drawing d-mirrors" : "d-icon-drawing"}
			width={size}
			height={size}
			viewBox="0 0 24 24"
			fill="none"
			stroke="currentColor"
			stroke-width={dots.has(known) ? 2.6 : size < 20 ? 1.75 : 1.5}
			stroke-linecap="round"
			stroke-linejoin="round"
			aria-hidden="true"
		>
			<path d={drawings[known]} />
		</svg>
	);
}

export type DoorState = "lit" | "half" | "shut" | "barred";

/** A state drawn as a door: open and lit, half lit, closed, or barred. */
export function Door({ state }: { readonly state: DoorState }) {
	const arch = "M1 11.25V5a4 4 0 0 1 8 0v6.25z";
	return (
		<svg
			class="d-door"
			viewBox="0 0 10 12"
			fill="none"
			stroke="currentColor"
			stroke-width="1.5"
			aria-hidden="true"
		>
			<path d={arch} fill={state === "lit" ? "currentColor" : "none"} stroke-linejoin="round" />
			{state === "half" && <path d="M1 7h8v4.25H1z" fill="currentColor" stroke="none" />}
			{state === "barred" && <path d="M1.5 10.5 8.5 3.5" stroke-linecap="round" />}
		</svg>
	);
}

/** The logo: a door within a door. */
export function Mark({ height = 26 }: { readonly height?: number }) {
	return (
		<svg
			class="d-mark"
			width={(height * 22) / 26}
			height={height}
			viewBox="0 0 22 26"
			fill="currentColor"
			aria-hidden="true"
		>
			<path d="M0 26V11a11 11 0 0 1 22 0v15h-2.8V11a8.2 8.2 0 0 0-16.4 0v15z" />
			<path d="M5.6 26V11.4a5.4 5.4 0 0 1 10.8 0V26z" />
		</svg>
	);
}
