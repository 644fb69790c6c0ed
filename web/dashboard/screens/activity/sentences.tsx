import type { ComponentChildren } from "preact";
import type { App } from "../../app/app";
import type { ActivityList, Entry } from "../../data/activity";
import type { Configuration } from "../../data/configuration";
import type { Permission } from "../../data/grants";
import { locale } from "../../words/words";
import { purposeOf } from "../permissions/people";
import { labelOf } from "../settings/values";
import { w } from "./words";

type Word = Parameters<typeof w>[0];

/** The sentence for each action, and its name. The order is that of the filter. */
export const actions: Readonly<Record<string, { readonly sentence: Word; readonly name: Word }>> = {
	"grant.issued": { sentence: "grantIssued", name: "aGrantIssued" },
	"grant.revoked": { sentence: "grantRevoked", name: "aGrantRevoked" },
	"person.invited": { sentence: "personInvited", name: "aPersonInvited" },
	"invitation.sent": { sentence: "invitationSent", name: "aInvitationSent" },
	"invitation.withdrawn": { sentence: "invitationWithdrawn", name: "aInvitationWithdrawn" },
	"person.joined": { sentence: "personJoined", name: "aPersonJoined" },
	"person.deactivated": { sentence: "personDeactivated", name: "aPersonDeactivated" },
	"person.reactivated": { sentence: "personReactivated", name: "aPersonReactivated" },
	"person.erased": { sentence: "personErased", name: "aPersonErased" },
	"person.exported": { sentence: "personExported", name: "aPersonExported" },
	"person.reminded": { sentence: "personReminded", name: "aPersonReminded" },
	"person.reset_link_issued": { sentence: "resetLinkIssued", name: "aResetLinkIssued" },
	"owner.granted": { sentence: "ownerGranted", name: "aOwnerGranted" },
	"owner.transferred": { sentence: "ownerTransferred", name: "aOwnerTransferred" },
	"module.enabled": { sentence: "moduleEnabled", name: "aModuleEnabled" },
	"module.disabled": { sentence: "moduleDisabled", name: "aModuleDisabled" },
	"configuration.replaced": { sentence: "configurationReplaced", name: "aConfigurationReplaced" },
	"screen.paired": { sentence: "screenPaired", name: "aScreenPaired" },
	"screen.renamed": { sentence: "screenRenamed", name: "aScreenRenamed" },
	"screen.revoked": { sentence: "screenRevoked", name: "aScreenRevoked" },
	"feed.made": { sentence: "feedMade", name: "aFeedMade" },
	"feed.renewed": { sentence: "feedRenewed", name: "aFeedRenewed" },
	"feed.revoked": { sentence: "feedRevoked", name: "aFeedRevoked" },
	"session.ended": { sentence: "sessionEnded", name: "aSessionEnded" },
	"passkey.added": { sentence: "passkeyAdded", name: "aPasskeyAdded" },
	"passkey.removed": { sentence: "passkeyRemoved", name: "aPasskeyRemoved" },
	"passkey.codes_replaced": { sentence: "codesReplaced", name: "aCodesReplaced" },
	"passkey.code_used": { sentence: "codeUsed", name: "aCodeUsed" },
	"link.made": { sentence: "linkMade", name: "aLinkMade" },
	"link.renewed": { sentence: "linkRenewed", name: "aLinkRenewed" },
	"link.revoked": { sentence: "linkRevoked", name: "aLinkRevoked" },
	"navigation.changed": { sentence: "navigationChanged", name: "aNavigationChanged" },
	"house.changed": { sentence: "houseChanged", name: "aHouseChanged" },
};

/** The data for showing an entry's ids as names. */
export interface Known {
	readonly app: App;
	readonly people: ActivityList["people"];
	readonly joined: ActivityList["joined"];
	/** Empty for a caller who may not read permissions: then they are shown by id. */
	readonly permissions: ReadonlyMap<string, Permission>;
	/** The settings of modules, by module. Without an entry they are shown by key. */
	readonly settings: ReadonlyMap<string, Configuration>;
}

/** The person or thing that made a change, in words. */
export function actorOf({ kind, userId }: Entry["actor"], { people }: Known): string {
	switch (kind) {
		case "person":
			return people.get(userId ?? "") || capital(w("erased"));
		case "operator":
			return w("operator");
		case "screen":
			return w("screen");
		default:
			return w("platform");
	}
}

const capital = (text: string): string => text.charAt(0).toLocaleUpperCase(locale.value.tag) + text.slice(1);

/** A module's name, which its permissions have, too. */
export const moduleName = (app: App, id: string, permissions?: Known["permissions"]): string =>
	[...(permissions?.values() ?? [])].find(({ moduleId }) => moduleId === id)?.moduleName ?? app.moduleName(id);

/** Each inserted text is put between these two characters, so that it can be emphasised in the sentence. */
const [begin, end] = ["\u{E000}", "\u{E001}"];
const strong = (text: string): string => begin + text + end;

/** An entry as a sentence, in which names and subjects are marked for emphasised(). */
export function sentenceOf(entry: Entry, known: Known): string {
	const { subject } = entry;
	const detail = (name: string) => detailOf(entry, name);
	const personOf = (id: string) => strong(known.people.get(id) || w("erased"));
	const permissionId = detail("permissionId");
	const moduleId = subject.kind === "module" ? subject.id : detail("moduleId");
	return w(wordOf(entry, known), {
		actor: strong(actorOf(entry.actor, known)),
		person: personOf(known.joined.get(subject.id) ?? subject.id),
		former: personOf(detail("formerUserId")),
		permission: strong(purposeOf(known.permissions.get(permissionId), permissionId)),
		module: strong(moduleName(known.app, moduleId, known.permissions)),
		group: groupNamed(known.app, subject.kind === "navigationGroup" ? subject.id : detail("groupId")),
		action: entry.action,
	});
}

const detailOf = ({ details }: Entry, name: string): string =>
	typeof details[name] === "string" ? details[name] : "";

/** The sentence for an entry. Some depend on more than the action. */
function wordOf(entry: Entry, known: Known): Word {
	const { action, subject } = entry;
	if (action === "navigation.changed") {
		const what = detailOf(entry, "what");
		if (what === "modulePlaced" && detailOf(entry, "groupId") === "") return "moduleTakenOut";
		return arranged[what] ?? (subject.kind === "module" ? "moduleMoved" : "groupChanged");
	}
	if (subject.kind === "link") return action === "link.made" ? "guestLinkMade" : "guestLinkRevoked";
	if (known.joined.has(subject.id)) {
		if (action === "person.invited") return "personInvitedJoined";
		if (action === "invitation.sent") return "invitationSentJoined";
	}
	return actions[action]?.sentence ?? "otherAction";
}

/** The sentences for what was changed in the navigation. */
const arranged: Readonly<Record<string, Word>> = {
	groupAdded: "groupAdded",
	groupRenamed: "groupRenamed",
	groupMoved: "groupMoved",
	groupDeleted: "groupDeleted",
	modulePlaced: "modulePlaced",
	moduleMoved: "moduleMoved",
	moduleUnplaced: "moduleUnplaced",
};

/** A group of the navigation by its name, which a deleted one has no more. */
function groupNamed(app: App, id: string): string {
	const navigation = app.navigation.value;
	const groups = navigation.is === "ready" ? navigation.view.groups : [];
	const group = groups.find((one) => one.id === id);
	return group ? w("theGroup", { name: strong(group.label) }) : w("deletedGroup");
}

/** A sentence whose marked parts are emphasised. */
export const emphasised = (sentence: string): ComponentChildren =>
	sentence
		.split(/[\u{E000}\u{E001}]/u)
		.map((part, at) => (at % 2 === 1 ? <bdi class="d-name">{part}</bdi> : part));

/** Which settings changed, by label and key, without their values. */
export function keysOf({ subject, details }: Entry, { settings }: Known): string {
	const named = (key: string) => {
		const entry = settings.get(subject.id)?.keys.find((one) => one.key === key);
		return entry === undefined ? key : `${labelOf(entry)} (${key})`;
	};
	const list = (name: string) => {
		const keys = details[name];
		return Array.isArray(keys) ? keys.filter((key) => typeof key === "string") : [];
	};
	const parts = [
		["set", "keysSet"],
		["changed", "keysChanged"],
		["removed", "keysRemoved"],
	] as const;
	return parts
		.filter(([name]) => list(name).length > 0)
		.map(([name, word]) => w(word, { keys: list(name).map(named).join(", ") }))
		.join("; ");
}
