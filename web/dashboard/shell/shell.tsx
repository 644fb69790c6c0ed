import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Icon, Mark } from "../../kit/icons";
import { Skeleton } from "../../kit/layout";
import type { App } from "../app/app";
import { house } from "../app/house";
import { homeHash } from "../app/route";
import { administrationFor } from "../app/address";
import { day } from "../words/times";
import { t } from "../words/words";
import { AccountMenu } from "./accountmenu";
import { Link } from "./anchor";
import { Content } from "./content";
import { FindButton } from "./findbutton";
import { NewVersionNotice } from "./newversionnotice";
import { Palette } from "./palette";
import { RestartNotice } from "./restartnotice";
import { Sidebar } from "./sidebar";

interface ShellProps {
	readonly app: App;
	/** Only its frame, until it is known who is signed in. */
	readonly empty?: boolean;
}

/** W5 and W6: the header, the navigation and the screen that the fragment names. */
export function Shell({ app, empty = false }: ShellProps) {
	const [unfolded, setUnfolded] = useState(false);
	const [finding, setFinding] = useState(false);
	const route = app.router.route.value;
	const navigation = app.navigation.value;
	useLayoutEffect(() => setUnfolded(false), [route]); // before the person can have unfolded it again
	const view = navigation.is === "ready" ? navigation.view : undefined;
	const administration = administrationFor(app.router.screens, view?.permissions ?? []);
	const name = house.value?.name ?? t("dashboard");
	const banner = useRef<HTMLElement>(null);
	useEffect(() => {
		const date = () => banner.current && (banner.current.dataset["printed"] = day(new Date()));
		addEventListener("beforeprint", date);
		return () => removeEventListener("beforeprint", date);
	}, []);
	const shown = app.frame.value === "columns";
	return (
		<div inert={empty}>
			<a
				class="host-skip d-button d-primary"
				href="#main"
				onClick={(event) => {
					event.preventDefault(); // the fragment is used for navigation
					document.getElementById("main")?.focus();
				}}
			>
				{t("skip")}
			</a>
			<header class="host-banner" ref={banner}>
				<Link app={app} to={homeHash} class="host-brand" long={name.length > 20}>
					<Mark />
					<bdi title={name.length > 40 ? name : undefined}>{name}</bdi>
				</Link>
				{shown && <FindButton find={() => setFinding(true)} />}
				{shown && (
					<button
						type="button"
						class="d-quiet host-menu-button"
						aria-expanded={unfolded}
						aria-controls="navigation"
						onClick={() => setUnfolded(!unfolded)}
					>
						<Icon name="menu" />
						{t("menu")}
					</button>
				)}
				<AccountMenu app={app} />
			</header>
			<div class={shown ? "host-columns" : "host-columns host-alone"}>
				{shown && (
					<Sidebar
						app={app}
						view={view}
						administration={administration}
						folded={!unfolded}
						find={() => setFinding(true)}
					/>
				)}
				<main id="main" class="host-main" tabIndex={-1}>
					<NewVersionNotice app={app} />
					{view && <RestartNotice app={app} permissions={view.permissions} />}
					{empty ? <Skeleton shape="page" /> : <Content app={app} />}
				</main>
			</div>
			{!empty && <Palette app={app} open={finding} onOpen={setFinding} />}
		</div>
	);
}
