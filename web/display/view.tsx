import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { qrCode } from "../host/qr";
import { houseTime, kitHouse } from "../kit/house";
import { type DoorState, Mark } from "../kit/icons";
import { hyphenated } from "../kit/measure";
import type { Connection } from "./connection";
import { moduleName, type Screen, screen } from "./screen";
import { corner } from "./upkeep";
import { language, t } from "./words";

interface DisplayViewProps {
	readonly connection: Connection;
	readonly stage: HTMLElement;
	signOut(): Promise<void>;
}

/** What the host paints over the stage: its own screens, and the indicator. */
export function DisplayView({ connection, stage, signOut }: DisplayViewProps) {
	const shown = screen.value;
	const name = moduleName.value;
	const mounted = shown.is === "mounted";
	const stale = connection.stale.value;
	useEffect(() => {
		stage.toggleAttribute("data-covered", !mounted);
		stage.toggleAttribute("data-stale", stale);
		document.title = name;
	}, [mounted, stale, name]);
	return (
		<>
			{!mounted && <HostScreen name={name} shown={shown} signOut={signOut} />}
			{mounted && <Indicator connection={connection} />}
		</>
	);
}

interface HostScreenProps extends Pick<DisplayViewProps, "signOut"> {
	readonly name: string;
	readonly shown: Screen;
}

function HostScreen({ name, shown, signOut }: HostScreenProps) {
	switch (shown.is) {
		case "unpaired":
			return <Pairing name={name} code={shown.code} removed={shown.removed} />;
		case "signed-in":
			return (
				<Message
					door="shut"
					title={t("signedIn")}
					above={name}
					{...(shown.failed ? { below: t("stillSignedIn") } : {})}
				>
					<button class="host-button" type="button" onClick={() => void signOut()}>
						{t("signOut")}
					</button>
				</Message>
			);
		case "approved":
			return (
				<Message
					door="lit"
					title={shown.lines === "paired" ? t("pairedAs", { label: shown.label }) : t("leaveOn")}
				/>
			);
		case "offline":
			return <Message door="half" title={t("waiting")} above={name} />;
		case "empty":
			return <Message door="half" title={t("noContent")} above={name} />;
		case "no-code":
			return (
				<Message door="shut" title={t(shown.removed ? "removed" : "unpaired")} above={name} below={t("noCode")} />
			);
		case "unavailable":
			return (
				<Message
					door="shut"
					title={name ? t("switchedOff", { module: syllables(name) }) : t("noDisplay")}
					below={t("looksAgain")}
				/>
			);
		case "refused":
			return <Message door="barred" title={t("cannotStart", { module: syllables(name) })} small={shown.code} />;
		case "misplaced":
			return <Message door="barred" title={t("wrongAddress")} below={location.host} />;
		case "no-cookies":
			return (
				<Message door="barred" title={t("noCookies")} below={t("allowCookies", { host: location.host })} />
			);
		case "booting":
			return <Booting name={name} />;
		case "mounted":
			return null;
	}
}

/** The name of a module, which may be broken if it is long. */
const syllables = (name: string): string => hyphenated(name, language.value.tag);

/** Almost black, and after a second the name of the module and that it is starting. */
function Booting({ name }: { readonly name: string }) {
	const [late, setLate] = useState(false);
	useEffect(() => {
		const timer = setTimeout(() => setLate(true), 1_000);
		return () => clearTimeout(timer);
	}, []);
	return (
		<main class={`host-screen host-message${late ? "" : " host-soon"}`}>
			<div class="host-said">
				{late && <HouseName />}
				<h1 class={late ? "" : "d-unseen"}>
					<bdi>{name}</bdi>
				</h1>
				<p class={late ? "host-below" : "d-unseen"}>{t("starting")}</p>
			</div>
			{late && <DoorDrawing state="half" />}
		</main>
	);
}

/** The name of the house, if it has one. */
function HouseName() {
	const name = kitHouse.value?.name;
	if (!name) return null;
	return (
		<p class="host-house">
			<bdi translate={false}>{name}</bdi>
		</p>
	);
}

interface MessageProps {
	/** What the screen is waiting for, as a door: half open while it comes by itself, barred if it cannot. */
	readonly door: DoorState;
	readonly title: string;
	readonly above?: string;
	readonly below?: string;
	readonly small?: string;
	readonly children?: ComponentChildren;
}

function Message({ door, title, above, below, small, children }: MessageProps) {
	return (
		<main class="host-screen host-message">
			<div class="host-said">
				<HouseName />
				{above && (
					<p class="host-above">
						<bdi>{above}</bdi>
					</p>
				)}
				<div role="status">
					<h1>{title}</h1>
				</div>
				{below && <p class="host-below">{below}</p>}
				{small && <p class="host-small-print">{small}</p>}
				{children}
			</div>
			<DoorDrawing state={door} />
		</main>
	);
}

/** A door as high as the screen, in frames that become fainter. */
function DoorDrawing({ state }: { readonly state: DoorState }) {
	const arch = (radius: number) => `M${60 - radius} 152V60a${radius} ${radius} 0 0 1 ${2 * radius} 0V152`;
	return (
		<svg class={`host-drawing host-${state}`} viewBox="0 0 120 150" fill="none" aria-hidden="true">
			{[59, 50, 41].map((radius) => (
				<path key={radius} d={arch(radius)} />
			))}
			<path class="host-leaf" d={`${arch(31)}z`} />
			{state === "half" && <path class="host-light" d="M29 108h62v44H29z" />}
			{state === "barred" && <path class="host-bar" d="M36 122 84 66" />}
		</svg>
	);
}

interface PairingProps {
	readonly name: string;
	readonly code: string;
	readonly removed: boolean;
}

/** The unpaired screen: six digits to type, and the same pairing as a QR code. */
function Pairing({ name, code, removed }: PairingProps) {
	return (
		<main class="host-screen host-pairing">
			<div class="host-instructions">
				<div>
					<HouseName />
					<h1>
						<bdi>{name}</bdi>
					</h1>
				</div>
				{removed && (
					<p class="host-removed">
						<span>{t("removed")}</span> <span>{t("newCode")}</span>
					</p>
				)}
				<p class="host-digits" dir="ltr" role="status" translate={false}>
					<span class="d-unseen">{t("codeLabel")} </span>
					{code.slice(0, 3)} {code.slice(3)}
				</p>
				<div class="host-how">
					<p>{t("pairHow")}</p>
					<p class="host-where">
						<bdi dir="ltr" translate={false}>{location.host}</bdi>
					</p>
				</div>
				<p class="host-renews">{t("codeRenews")}</p>
			</div>
			<QrDoor address={`${location.origin}/#/admin/screens/${code}`} />
		</main>
	);
}

/** The door with the logo and the QR code. */
function QrDoor({ address }: { readonly address: string }) {
	const code = qrCode(address);
	const size = code.size + 8; // with a margin of four light modules
	return (
		<div class="host-doors">
			<span class="host-thin" />
			<span class="host-thin" />
			<span class="host-thin" />
			<div class="host-door-frame">
				<Mark />
				<svg class="host-qr" viewBox={`-4 -4 ${size} ${size}`} role="img" aria-label={t("qrLabel")}>
					<path d={code.path} />
				</svg>
			</div>
		</div>
	);
}

/** One indicator in a corner: what is wrong, and how old the content is. */
function Indicator({ connection }: { readonly connection: Connection }) {
	const notice = connection.notice.value;
	if (!notice) return null;
	return (
		<p class={`host-indicator host-corner-${corner.value} host-${notice.is}`} role="status">
			<span class="host-dot" aria-hidden="true" />
			{wordsOf(notice)}
		</p>
	);
}

function wordsOf(notice: NonNullable<Connection["notice"]["value"]>): string {
	if (notice.is === "back") return t("backOnline");
	if (notice.is === "leave-on") return t("leaveOn");
	if (notice.since === undefined) return t(notice.is);
	const time = houseTime(language.value.tag, { hour: "numeric", minute: "2-digit" })(notice.since);
	return t(`${notice.is}Since`, { time });
}
