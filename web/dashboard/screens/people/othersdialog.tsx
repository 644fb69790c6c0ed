import { Button } from "../../../kit/button";
import { CopyButton } from "../../../kit/copy";
import { Dialog } from "../../../kit/dialog";
import type { App } from "../../app/app";
import { nameAndAddress } from "../../app/people";
import type { Member } from "../../data/people";
import { t } from "../../words/words";
import { w as account } from "../account/words";
import { holds, manageGrants } from "../modules/permissions";
import { w as signIn } from "../signin/words";
import { isOneself } from "./displayname";
import { w } from "./words";

interface OthersDialogProps {
	readonly app: App;
	readonly member: Member;
	onClose(): void;
}

/** What somebody who manages people cannot do here for a person, and who can. */
export function OthersDialog({ app, member, onClose }: OthersDialogProps) {
	const active = member.deactivatedAt === null;
	return (
		<Dialog
			title={w("othersTitle", { name: nameAndAddress(member) })}
			size="medium"
			onClose={onClose}
			footer={<Button onPress={onClose}>{t("close")}</Button>}
		>
			<dl class="host-others">
				<dt>{w("exportData")}</dt>
				<dd>
					{active && (
						<p>{w("exportSelf", { account: t("account"), download: account("downloadData") })}</p>
					)}
					<Command
						app={app}
						words={active ? w("exportServer") : w("onlyServer")}
						command={`narthexctl identity:export --user-id ${member.userId} --to data.json`}
					/>
				</dd>
				{active && member.email !== null && (
					<>
						<dt>{w("newPassword")}</dt>
						<dd>
							<p>{w("passwordSelf", { forgot: signIn("forgotPassword") })}</p>
							<Command
								app={app}
								words={w("passwordServer")}
								command={`narthexctl identity:reset-link --email ${quoted(member.email)}`}
							/>
						</dd>
						<dt>{w("newName")}</dt>
						<dd>{w("nameSelf", { account: t("account") })}</dd>
						<dt>{w("newAddress")}</dt>
						<dd>{w("addressHow")}</dd>
					</>
				)}
				{!holds(app, manageGrants) && (
					<>
						<dt>{t("permissions")}</dt>
						<dd>{w("permissionsWho")}</dd>
					</>
				)}
				{active && !member.owner && (
					<>
						<dt>{w("newOwner")}</dt>
						<dd>
							<Command
								app={app}
								words={w("onlyServer")}
								command={`narthexctl authorization:transfer-owner --to-user-id ${member.userId}`}
							/>
						</dd>
					</>
				)}
				{(member.owner || isOneself(app, member)) && (
					<>
						<dt>{w("deactivateOrErase")}</dt>
						<dd>{w(member.owner ? "ownerStays" : "anotherDecides")}</dd>
					</>
				)}
			</dl>
		</Dialog>
	);
}

interface CommandProps {
	readonly app: App;
	readonly words: string;
	readonly command: string;
}

/** A command for the person who runs the server, to copy into a message to them. */
function Command({ app, words, command }: CommandProps) {
	return (
		<>
			<p>{words}</p>
			<p class="d-row">
				<code dir="ltr" translate={false} class="d-code">
					{command}
				</code>
				<CopyButton text={command} label={w("copyCommand", { command })} toasts={app.toasts} />
			</p>
		</>
	);
}

/** An argument of a command, as a shell reads it: an address may contain characters such as ` and $. */
const quoted = (argument: string): string =>
	/^[\w@.+-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;
