import { Chip } from "../../../kit/chip";
import { CopyButton } from "../../../kit/copy";
import { Tile } from "../../../kit/layout";
import type { App } from "../../app/app";
import { type Backup, readBackup } from "../../data/house";
import { Loaded, useResource } from "../../shell/loaded";
import { moment } from "../../words/times";
import { manageHouse } from "../modules/permissions";
import { w } from "./words";

const command = "narthex mail:test -- --email ADDRESS";

/** When a backup was last verified, and with which result. */
export function BackupLine({ app }: { readonly app: App }) {
	const resource = useResource(app, () => readBackup(app.platform));
	return (
		<Loaded resource={resource} permission={manageHouse} part>
			{(backup) => (
				<div class="d-card">
					<div class="host-thing">
						<Tile icon={isGood(backup) ? "check" : "alert"} lit={isGood(backup)} />
						<div>
							<h2>{w("backup")}</h2>
							<p class="d-second">{verifiedOf(backup)}</p>
						</div>
					</div>
					<Verdict backup={backup} />
				</div>
			)}
		</Loaded>
	);
}

const isGood = ({ lastVerifiedAt, verdict }: Backup): boolean => lastVerifiedAt !== null && verdict === null;

function verifiedOf({ lastVerifiedAt, verdict }: Backup): string {
	if (lastVerifiedAt === null) return w("neverVerified");
	const time = moment(lastVerifiedAt);
	return verdict === null ? w("verified", { time }) : w("verifiedBad", { time, code: verdict });
}

function Verdict({ backup }: { readonly backup: Backup }) {
	if (isGood(backup)) {
		return (
			<Chip tone="ok" door="lit">
				{w("good")}
			</Chip>
		);
	}
	const never = backup.lastVerifiedAt === null;
	return (
		<Chip tone={never ? "warn" : "bad"} door={never ? "half" : "barred"}>
			{w(never ? "none" : "notGood")}
		</Chip>
	);
}

/** Only the operator of the server can send a test email. */
export function TestMail({ app }: { readonly app: App }) {
	return (
		<div class="d-card">
			<div class="host-thing">
				<Tile icon="mail" />
				<div>
					<h2>{w("testMail")}</h2>
					<p class="d-second">{w("testMailHelp")}</p>
					<bdi dir="ltr" translate={false} class="d-code">
						{command}
					</bdi>
				</div>
			</div>
			<CopyButton text={command} label={w("copyCommand")} toasts={app.toasts} />
		</div>
	);
}
