import type { Door as Said, HomeTools } from "@narthex/sdk";
import { useEffect, useMemo, useState } from "preact/hooks";
import { Icon } from "../../../kit/icons";
import { EmptyState, Skeleton } from "../../../kit/layout";
import { type App, doorsOf, homeModule } from "../../app/app";
import { moduleHash } from "../../app/route";
import { administrationFor } from "../../app/address";
import { keptSteps, lookAtHome, noSteps } from "../../app/lastvisit";
import { kept } from "../../app/preferences";
import type { Resource } from "../../data/resource";
import type { Steps } from "../house/steps";
import { administration } from "../../app/laterscript";
import type { ScreenProps } from "../../app/screen";
import { useLaterPart } from "../../shell/laterpart";
import { Link } from "../../shell/anchor";
import { Heading } from "../../shell/heading";
import { useLive } from "../../shell/live";
import { formatted, t } from "../../words/words";
import { ModulePlace } from "../module/moduleplace";
import { holds, manageHouse } from "../modules/permissions";
import { CopyId } from "./copyid";
import { greeting } from "./greeting";
import { w } from "./words";

/** How long the links wait for the content above them, so that they do not move away, in milliseconds. */
const patience = 3_000;

const longDay = formatted({ weekday: "long", day: "numeric", month: "long" });

const zoneQuestion = administration((screens) => screens.ZoneQuestion);
const firstSteps = administration((screens) => screens.FirstSteps);

/** Home: a greeting, the content of the module "home", and a link to each module. */
export function HomeScreen({ app }: ScreenProps) {
	const navigation = app.navigation.value;
	const account = app.data.account;
	const [settled, setSettled] = useState(false);
	const [said, setSaid] = useState<ReadonlyMap<string, Said>>(new Map());
	const home = useMemo(() => homeTools(app, setSaid), []);
	useLive(app.data.navigation, undefined, app.router.opened.peek() === 0); // the page begins with it
	const house = app.data.house;
	const asks = house.value.value?.timeZone === null && holds(app, manageHouse);
	const ZoneQuestion = useLaterPart(zoneQuestion, asks);
	const leads = holds(app, manageHouse) && kept(keptSteps) !== noSteps;
	const FirstSteps = useLaterPart(firstSteps, leads);
	const [found, setFound] = useState<Resource<Steps>>();
	useEffect(() => {
		const timer = setTimeout(() => setSettled(true), patience);
		return () => clearTimeout(timer);
	}, []);
	useEffect(() => {
		const look = () => void lookNow(app); // a page may stay open for days
		document.addEventListener("visibilitychange", look);
		return () => document.removeEventListener("visibilitychange", look);
	}, []);
	if (navigation.is !== "ready") return null;
	// A name may make the greeting one line higher, and the question moves everything below it.
	const known = [account, house].every(({ value, failed }) => value.value ?? failed.value);
	const path = leads && FirstSteps && <FirstSteps app={app} found={found} known={setFound} />;
	if (!settled && !(known && (ZoneQuestion || !asks) && (found || !leads))) {
		return (
			<>
				<Skeleton shape="page cards" />
				{!found && path}
			</>
		);
	}
	const own = app.entry(homeModule);
	const modules = doorsOf(navigation.view).map(({ moduleId, name, ui }) => ({
		to: moduleHash(moduleId),
		name,
		icon: ui.icon,
		said: own && said.get(moduleId),
	}));
	const administration = administrationFor(app.router.screens, navigation.view.permissions).map(
		({ path, title, icon }) => ({ to: `#/${path}`, name: title(), icon }),
	);
	const now = new Date(app.clock.now());
	const name = account.value.value?.name ?? "";
	return (
		<div class="host-home">
			<div class="host-greeting">
				<p class="d-muted">{longDay(now)}</p>
				<Heading title={greeting(now, name)} page={w("home")} />
			</div>
			{asks && ZoneQuestion && <ZoneQuestion app={app} elsewhere />}
			{path}
			{own && (
				// what contributes to it is known at its mount
				<ModulePlace
					key={JSON.stringify(own.ui.contributions)}
					app={app}
					entry={own}
					setTitle={() => undefined}
					settled={() => setSettled(true)}
					home={home}
				/>
			)}
			{modules.length > 0 && (settled || own === undefined) && (
				<Doors app={app} title={t("modules")} doors={modules} />
			)}
			{modules.length === 0 && own === undefined && (
				// an administrator starts here: on a new installation nobody else can
				administration.length > 0
					? <Doors app={app} title={t("administration")} doors={administration} />
					: <EmptyState title={w("empty")} help={w("emptyHelp")} action={<CopyId app={app} named />} />
			)}
		</div>
	);
}

function lookNow(app: App): number | undefined {
	const who = app.session.who.peek();
	return who.is === "person" ? lookAtHome(who.userId, app.clock.now()) : undefined;
}

/** What the module "home" gets. */
function homeTools(
	app: App,
	setSaid: (change: (before: ReadonlyMap<string, Said>) => ReadonlyMap<string, Said>) => void,
): HomeTools {
	return {
		lastVisit: lookNow(app),
		setDoor: (moduleId, door) =>
			setSaid((before) => {
				const after = new Map(before);
				if (door === undefined) after.delete(moduleId);
				else after.set(moduleId, { line: String(door.line), waits: Boolean(door.waits) });
				return after;
			}),
	};
}

interface Door {
	readonly to: string;
	readonly name: string;
	/** The icon that the module names; an unknown one is drawn as a door. */
	readonly icon: string | null | undefined;
	/** What the module's tile says at the door. */
	readonly said?: Said | undefined;
}

interface DoorsProps {
	readonly app: App;
	readonly title: string;
	readonly doors: readonly Door[];
}

function Doors({ app, title, doors }: DoorsProps) {
	return (
		<section>
			<h2>{title}</h2>
			<ul class="host-doorways">
				{doors.map(({ to, name, icon, said }) => (
					<li key={to}>
						<Link app={app} to={to} class={said?.waits ? "host-doorway host-lit" : "host-doorway"}>
							<Icon name={icon ?? "door"} size={30} />
							<bdi>{name}</bdi>
							{said && <bdi class="host-doorway-line">{said.line}</bdi>}
						</Link>
					</li>
				))}
			</ul>
		</section>
	);
}
