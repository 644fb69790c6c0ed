import { PageHeader } from "../../../kit/layout";
import type { ScreenProps } from "../../app/screen";
import { Heading } from "../../shell/heading";
import { useLive } from "../../shell/live";
import { Loaded } from "../../shell/loaded";
import { t } from "../../words/words";
import { HouseFeeds } from "../feeds/housefeeds";
import { holds, manageHouse, manageLinks } from "../modules/permissions";
import { BackupLine, TestMail } from "./facts";
import { HouseForm } from "./houseform";
import { w } from "./words";
import { ZoneQuestion } from "./zonequestion";

/** The house's name, its colour and the language of its emails, and facts for its operator. */
export function HouseScreen({ app }: ScreenProps) {
	useLive(app.data.house);
	return (
		<Loaded resource={app.data.house} permission={manageHouse}>
			{(stored) => (
				<>
					<PageHeader heading={<Heading title={t("house")} />} sub={w("sub")} />
					<ZoneQuestion app={app} />
					<HouseForm app={app} stored={stored} />
					<section class="host-house-facts" aria-label={w("server")}>
						<BackupLine app={app} />
						<TestMail app={app} />
						{holds(app, manageLinks) && <HouseFeeds app={app} />}
					</section>
				</>
			)}
		</Loaded>
	);
}
