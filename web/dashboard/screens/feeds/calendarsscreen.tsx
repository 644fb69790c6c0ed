import { PageHeader } from "../../../kit/layout";
import type { ScreenProps } from "../../app/screen";
import { Heading } from "../../shell/heading";
import { OwnList } from "./ownfeeds";
import { w } from "./words";

/** The calendars on the phone alone: where Calendar and Rota lead to. The account has them, too. */
export function CalendarsScreen({ app }: ScreenProps) {
	return (
		<>
			<PageHeader heading={<Heading title={w("feeds")} />} sub={w("feedsHelp")} />
			<div class="d-card">
				<OwnList app={app} />
			</div>
		</>
	);
}
